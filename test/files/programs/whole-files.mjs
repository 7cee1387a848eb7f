// Files read and written whole, in every way there is.
import fs, { readFile as named, readFileSync } from 'node:fs'
import promises, { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import util from 'node:util'

const here = join(dirname(fileURLToPath(import.meta.url)), 'data')
const say = (...words) => console.log(...words)
const failing = async (what) => {
  try {
    say('no failure', await what())
  } catch (error) {
    const { name, code, errno, syscall, path, dest } = error
    say(
      error instanceof Error,
      error.constructor.name,
      name,
      error.message,
      code,
      errno,
      syscall,
      path,
      dest,
      Object.keys(error).join(),
    )
  }
}

say(
  readFileSync('data/text.txt', 'utf8'),
  readFileSync('data/binary.bin'),
  readFileSync('./data/../data/text.txt', { encoding: 'latin1' }).length,
)
say(
  readFileSync(Buffer.from('data/text.txt'), 'hex').slice(0, 8),
  readFileSync(new URL('data/text.txt', import.meta.url), 'base64').slice(0, 8),
)
say(
  readFileSync(join(here, 'text.txt'), 'utf8').length,
  readFileSync(pathToFileURL(join(here, 'binary.bin'))).length,
)
say(
  await readFile('data/text.txt', 'utf8'),
  (await promises.readFile('data/big.txt')).length,
  await util.promisify(named)('data/empty.txt', 'utf8'),
)
await new Promise((done) =>
  named('data/text.txt', { encoding: 'utf8', flag: 'r' }, (error, text) => done(say(error, text.length))),
)
await failing(() => readFileSync('data/none.txt'))
await failing(() => readFile(join('data', 'none.txt')))
await failing(() => readFileSync('data'))
await failing(() => util.promisify(fs.readFile)('data/none.txt'))
await failing(() => readFileSync('data/none\0.txt'))
await failing(() => readFileSync('data/text.txt', 'no-such-encoding'))
await failing(() => fs.readFile('data/text.txt'))
await failing(() => readFile('data/text.txt', { signal: AbortSignal.abort() }))
await failing(() => fs.writeFileSync('data/none/x.txt', 'x'))
await failing(() => promises.writeFile('data', 'x'))

fs.writeFileSync('data/out.txt', 'one\n')
fs.appendFileSync('data/out.txt', 'two\n')
await promises.appendFile('data/out.txt', Buffer.from('three\n'))
await new Promise((done) => fs.appendFile('data/out.txt', 'four\n', done))
await promises.writeFile('data/pieces.txt', Readable.from(['a', 'b', 'c']))
await promises.writeFile('data/bytes.bin', new Uint16Array([1, 2, 65535]))
await new Promise((done) => fs.writeFile('data/latin.txt', 'ü', 'latin1', done))
fs.writeFileSync('data/flag.txt', 'x', { flag: 'a' })
await failing(() => fs.writeFileSync('data/flag.txt', 'x', { flag: 'wx' }))
for (const name of ['out.txt', 'pieces.txt', 'bytes.bin', 'latin.txt', 'flag.txt'])
  say(name, readFileSync(`data/${name}`))
const fd = fs.openSync('data/text.txt')
say(typeof fd, readFileSync(fd, 'utf8').length, readFileSync(fd, 'utf8').length)
fs.closeSync(fd)
await failing(() => fs.closeSync(987654))
const blob = await fs.openAsBlob('data/text.txt', { type: 'text/plain' })
say(blob.size, blob.type, (await blob.text()).length, await blob.slice(0, 4).text())
say(
  JSON.parse(readFileSync('package.json', 'utf8')).type,
  readFileSync('whole-files.mjs', 'utf8').length > 100,
)
process.chdir('data/sub')
say(readFileSync('inner.txt', 'utf8'), process.cwd().endsWith('data/sub'), fs.existsSync('../text.txt'))
await failing(() => process.chdir('no-such-folder'))
