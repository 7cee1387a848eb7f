// Files that are opened: descriptors, handles, streams.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import util from 'node:util'
import zlib from 'node:zlib'

const say = (...words) => console.log(...words)
const failing = async (what) => {
  try {
    say('no failure', await what())
  } catch (error) {
    say(error.name, error.message, error.code, error.syscall)
  }
}

const fd = fs.openSync('data/text.txt', 'r')
const buffer = Buffer.alloc(10)
say(
  fs.readSync(fd, buffer),
  buffer.toString(),
  fs.readSync(fd, buffer, 2, 3, 0),
  buffer.toString(),
  fs.readSync(fd, buffer, { position: 3, length: 4 }),
  buffer.toString(),
)
say(fs.fstatSync(fd).size, fs.fstatSync(fd, { bigint: true }).isFile())
const views = [Buffer.alloc(3), new Uint8Array(2)]
say(fs.readvSync(fd, views, 0), views)
say(
  await new Promise((done) =>
    fs.read(fd, buffer, 0, 5, 1, (error, read, same) =>
      done([error, read, same === buffer, buffer.toString()]),
    ),
  ),
)
say(await util.promisify(fs.read)(fd, Buffer.alloc(4), 0, 4, 0))
fs.closeSync(fd)
await failing(() => fs.readSync(fd + 1000, buffer))

const out = fs.openSync('data/written.txt', 'w+')
say(
  fs.writeSync(out, 'hello '),
  fs.writeSync(out, Buffer.from('xworldx'), 1, 5),
  fs.writeSync(out, 'J', 0),
  fs.writevSync(out, [Buffer.from('!'), Buffer.from('?')], 11),
)
fs.fsyncSync(out)
fs.ftruncateSync(out, 12)
say(fs.readSync(out, buffer, 0, 10, 0), buffer.toString())
fs.futimesSync(out, 1, 2)
fs.closeSync(out)
say(fs.readFileSync('data/written.txt', 'utf8'))

const handle = await promises.open('data/handle.txt', 'w+')
say(handle.constructor.name, typeof handle.fd)
say(
  await handle.write('first\n'),
  (await handle.write(Buffer.from('second\n'))).bytesWritten,
  (await handle.writev([Buffer.from('third\n')])).bytesWritten,
)
await handle.appendFile('fourth\n')
await handle.sync()
await handle.datasync()
say(
  (await handle.stat()).size,
  (await handle.read(Buffer.alloc(6), 0, 6, 0)).buffer.toString(),
  (await handle.readv([Buffer.alloc(3)], 6)).bytesRead,
)
await handle.truncate(13)
await handle.chmod(0o600)
await handle.utimes(1, 2)
await handle.close()
say(handle.fd)
await failing(() => handle.read(Buffer.alloc(1)))
const again = await promises.open('data/handle.txt')
say(await again.readFile('utf8'))
await again.close()
const lines = await promises.open('data/text.txt')
for await (const line of lines.readLines()) say('line', line)
const web = await promises.open('data/text.txt')
let size = 0
for await (const chunk of web.readableWebStream({ autoClose: true })) size += chunk.byteLength
say('web', size)
const streamed = await promises.open('data/big.txt')
size = 0
for await (const chunk of streamed.createReadStream({ highWaterMark: 40_000 })) size += chunk.length
say('stream of a handle', size)
await failing(() => promises.open('data/none'))
await failing(() => promises.open('data/text.txt', 'wx'))

for await (const chunk of fs.createReadStream('data/text.txt', { encoding: 'utf8', start: 3, end: 8 }))
  say(chunk)
const sizes = []
for await (const chunk of fs.createReadStream('data/big.txt')) sizes.push(chunk.length)
say(sizes)
await failing(async () => {
  for await (const _ of fs.createReadStream('data/none.txt'));
})
await pipeline(fs.createReadStream('data/big.txt'), zlib.createGzip(), fs.createWriteStream('data/big.gz'))
await pipeline(
  fs.createReadStream('data/big.gz'),
  zlib.createGunzip(),
  fs.createWriteStream('data/big-again.txt'),
)
say(fs.readFileSync('data/big-again.txt').equals(fs.readFileSync('data/big.txt')))
const writer = fs.createWriteStream('data/streamed.txt', { flags: 'a' })
await new Promise((done) => writer.on('open', done))
writer.write('one ')
writer.write('two ')
await new Promise((done) => writer.end('three', done))
say(writer.bytesWritten, writer.path)
const reader = fs.createReadStream('data/big.txt')
await new Promise((done) => reader.once('data', () => reader.destroy()).on('close', done))
say(reader.destroyed)

const parts = await Promise.all([
  promises.readFile('data/text.txt', 'utf8').then((text) => text.length),
  ...Array.from({ length: 20 }, (_, n) =>
    promises.stat(n % 2 === 0 ? 'data/text.txt' : 'data/big.txt').then(({ size }) => size),
  ),
  new Promise((done) => setTimeout(done, 1, 'timer')),
])
say(parts.join())
const order = []
await Promise.all([
  promises.readFile('data/big.txt').then(() => order.push('big')),
  promises.readFile('data/text.txt').then(() => order.push('text')),
  promises.readdir('data').then(() => order.push('folder')),
  new Promise((done) => setImmediate(done)).then(() => order.push('immediate')),
  new Promise((done) => fs.stat('data', done)).then(() => order.push('stat')),
])
console.error(order.join())
