/**
 * Streams between files and children: file to child to file, child to child, child to gzip to file, and a
 * slow reader that holds a quick writer.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, openSync, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

const sort = spawn('sort', ['-n'])
await Promise.all([
  pipeline(createReadStream('data/numbers.txt'), sort.stdin),
  pipeline(sort.stdout, createWriteStream('data/sorted.txt')),
])
console.log('sorted', readFileSync('data/sorted.txt', 'utf8').split('\n').slice(0, 4).join())

const first = spawn('head', ['-c', '200000', 'data/noise.bin'])
const second = spawn('wc', ['-c'])
first.stdout.pipe(second.stdin)
console.log('counted', String((await once(second.stdout, 'data'))[0]).trim())

const upper = new Transform({ transform: (chunk, _, done) => done(null, String(chunk).toUpperCase()) })
await pipeline(
  spawn('sh', ['-c', 'for i in 1 2 3; do echo line $i; sleep 0.005; done']).stdout,
  upper,
  createGzip(),
  createWriteStream('data/lines.gz'),
)
const lines = createInterface({ input: createReadStream('data/lines.gz').pipe(createGunzip()) })
for await (const line of lines) console.log('line', line)

const slow = spawn('sh', ['-c', 'head -c 3000000 /dev/zero | tr "\\0" x'])
let seen = 0
for await (const chunk of slow.stdout) {
  seen += chunk.length
  if (seen < 300_000) await new Promise((resolve) => setTimeout(resolve, 1))
}
console.log('slow', seen)

const tee = spawn('tee', ['data/tee.txt'], { stdio: ['pipe', openSync('data/stdout.txt', 'w'), 'inherit'] })
tee.stdin.end('to a file and to another\n')
console.log('tee', ...(await once(tee, 'close')), statSync('data/stdout.txt').size)
console.log(readFileSync('data/stdout.txt', 'utf8').trim())
