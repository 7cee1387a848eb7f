/**
 * Reads, writes, patches and moves binary files in every style of node:fs, and prints what it saw. Works in
 * `data/`.
 */
import { createHash } from 'node:crypto'
import fs, {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import {
  copyFile,
  cp,
  mkdtemp,
  open,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const digest = (bytes) => createHash('sha1').update(bytes).digest('hex').slice(0, 10)
const say = (what, ...facts) => console.log(what, ...facts)

say('whole', digest(await readFile('data/noise.bin')), fs.readFileSync('data/noise.bin').length)
const fd = openSync('data/noise.bin', 'r')
const piece = Buffer.alloc(16)
say('at 1000', readSync(fd, piece, 0, 16, 1000), piece.toString('hex'))
say('next', readSync(fd, piece, 0, 16, null), piece.toString('hex'))
closeSync(fd)

const handle = await open('data/patched.bin', 'w+')
await handle.write(Buffer.from([0, 255, 254, 128, 10, 13, 0]))
await handle.write(Buffer.from('middle'), 0, 6, 3)
await handle.truncate(8)
say('patched', (await handle.stat()).size, digest(await readFile('data/patched.bin')))
await handle.close()

let seen = 0
let chunks = 0
for await (const chunk of createReadStream('data/noise.bin', { highWaterMark: 10_000, start: 5 })) {
  seen += chunk.length
  chunks += 1
}
say('stream', seen, chunks)
await pipeline(createReadStream('data/noise.bin'), createGzip(), createWriteStream('data/noise.bin.gz'))
say('gzip', statSync('data/noise.bin.gz').size > 1000, digest(fs.readFileSync('data/noise.bin.gz')))

const parallel = await Promise.all(
  Array.from({ length: 20 }, (_, n) => readFile('data/noise.bin').then((bytes) => digest(bytes.subarray(n)))),
)
say('parallel', new Set(parallel).size)
await Promise.all(Array.from({ length: 10 }, (_, n) => writeFile(`data/part-${n}`, Buffer.alloc(n * 700, n))))
await copyFile('data/part-9', 'data/copy')
await rename('data/part-8', 'data/moved')
await symlink('moved', 'data/link')
await cp('data', 'backup', { recursive: true })
await rm('data/part-1')
say(
  'link',
  digest(await readFile('data/link')),
  fs.readlinkSync('data/link'),
  fs.lstatSync('data/link').isSymbolicLink(),
)
say(
  'list',
  (await readdir('data')).sort().join(),
  (await readdir('backup', { withFileTypes: true })).filter((entry) => entry.isFile()).length,
)
for await (const entry of await opendir('backup')) seen += entry.name.length
say('names', seen)

const scratch = await mkdtemp(join(tmpdir(), 'binary-'))
await writeFile(join(scratch, 'x'), piece)
say('scratch', scratch.length, (await readFile(join(scratch, 'x'))).equals(piece))
await rm(scratch, { recursive: true })
for (const path of ['data/none', 'data/noise.bin/below', 'data']) {
  try {
    fs.readFileSync(path)
  } catch (error) {
    say(error.code, error.syscall, error.message.replace(process.cwd(), '.'))
  }
}
await readFile('nowhere/at/all').catch((error) => say(error.name, error.code, error.errno))
const log = openSync('data/log', 'a')
writeSync(log, 'one\n')
writeSync(log, 'two\n')
closeSync(log)
say(
  'log',
  fs.readFileSync('data/log', 'utf8').length,
  fs.existsSync('data/log'),
  fs.existsSync('data/part-1'),
  statSync('data/log').mtimeMs > 0,
)
