/**
 * Does half of its work, with a child, a request and a file still open, and dies of an exception that nobody
 * catches.
 */
import { spawn } from 'node:child_process'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'

const out = createWriteStream('data/half.txt')
out.write('half of ')
const child = spawn('sh', ['-c', 'echo started; sleep 30'])
writeFileSync('data/before.txt', new Date().toISOString())
const pending = fetch(process.env.SLOW_URL).catch(() => undefined)
child.stdout.once('data', (data) => {
  console.log(String(data).trim(), readFileSync('data/before.txt', 'utf8').length)
  setTimeout(() => {
    child.kill('SIGKILL')
    throw new RangeError(`the agent broke at step ${Math.floor(Math.random() * 1000)}`)
  }, 5)
})
await pending
