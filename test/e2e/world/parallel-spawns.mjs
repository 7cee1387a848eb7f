/** Starts many children at once, in every style, and prints them in the order in which they end. */
import { exec, execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const order = []
const delays = Array.from({ length: 12 }, () => Math.round(Math.random() * 40) / 1000)
await Promise.all(
  delays.map(async (delay, n) => {
    const { stdout } = await promisify(exec)(`sleep ${delay}; echo child ${n}`)
    order.push(stdout.trim())
  }),
)
console.log(order.join(', '))

// Twelve equal ones: order among equals.
const equals = await Promise.all(
  Array.from({ length: 12 }, () => promisify(execFile)('sh', ['-c', 'echo $$'])),
)
console.log(new Set(equals.map(({ stdout }) => stdout)).size)

const race = await Promise.race(
  [1, 2, 3].map((n) => promisify(execFile)('sh', ['-c', `sleep 0.0${n}; echo ${n} first`])),
)
console.log(race.stdout.trim())

const cat = spawn('cat')
cat.stdout.setEncoding('utf8')
for (const line of ['first', 'second', 'third']) {
  cat.stdin.write(`${line}\n`)
  const [answer] = await once(cat.stdout, 'data')
  console.log('cat says', answer.trim())
}
cat.stdin.end()
console.log('cat ends', ...(await once(cat, 'close')))

const both = spawn('sh', ['-c', 'echo out; echo err >&2; sleep 0.01; echo out again; exit 3'])
both.stdout.on('data', (data) => console.log('out', String(data).trim()))
both.stderr.on('data', (data) => console.log('err', String(data).trim()))
console.log('both', ...(await once(both, 'close')))

const stopped = spawn('sleep', ['60'])
stopped.kill()
console.log('stopped', ...(await once(stopped, 'exit')), stopped.killed)
const slow = spawnSync('sleep', ['5'], { timeout: 30 })
console.log('slow', slow.status, slow.signal, slow.error?.code)
const aborter = new AbortController()
const aborted = spawn('sleep', ['60'], { signal: aborter.signal })
setTimeout(() => aborter.abort(), 5)
const [error] = await once(aborted, 'error')
console.log(error.name, error.code)
const missing = spawn('no-such-program-at-all')
console.log((await once(missing, 'error'))[0].message)
console.log(execFileSync('sh', ['-c', 'tr a-z A-Z'], { input: 'loud', encoding: 'utf8' }))
console.log(String(spawnSync('sh', ['-c', 'printf "\\377\\000\\001"']).stdout.toString('hex')))

const child = fork(fileURLToPath(new URL('./echo-child.mjs', import.meta.url)))
child.send({ n: 1 })
console.log((await once(child, 'message'))[0])
child.send({ n: 41, stop: true })
console.log((await once(child, 'message'))[0], ...(await once(child, 'exit')))
