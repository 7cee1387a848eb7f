/**
 * Programs that start subprocesses, for the tests of that boundary. Each prints all that it sees; the tests
 * compare recording, replays and plain runs.
 */

const head = `
import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process'
import * as childProcess from 'node:child_process'
import { promisify } from 'node:util'
const log = (...words) => console.log(...words)
const closed = (child) => new Promise((resolve) => child.once('close', (...end) => resolve(end)))
`

/** Events in their order, the surface of a ChildProcess, promisified forms, failures. */
export const surface = `${head}
const child = spawn('cat', ['-'], { argv0: 'kitten' })
log(child instanceof childProcess.ChildProcess, typeof child.pid, child.spawnfile, child.spawnargs, child.stdio.length, child.connected)
for (const event of ['spawn', 'exit', 'close']) child.on(event, (...values) => log(event, values))
// One chunk or two: the world decides anew in each run.
let said = ''
child.stdout.setEncoding('utf8').on('data', (text) => { said += text })
child.stdin.on('finish', () => log('finish'))
child.stdin.write('one\\n', () => log('written'))
child.stdin.end('two')
await closed(child)
log(said)
log(child.exitCode, child.signalCode, child.killed, child.kill())
log(await promisify(exec)('echo out; echo err >&2'))
log(await promisify(execFile)('printf', ['%s', 'é'], { encoding: 'latin1' }))
await promisify(execFile)('sh', ['-c', 'echo no >&2; exit 3']).catch((error) => log(error.code, error.killed, error.cmd, error.stderr))
const missing = spawn('no-such-program', ['a', 'b'])
missing.on('error', ({ message, code, errno, syscall, path, spawnargs }) => log({ message, code, errno, syscall, path, spawnargs }))
log(missing.pid, await closed(missing))
await promisify(exec)('true', { cwd: '/no/such/folder' }).catch((error) => log(error.code, error.syscall))
await new Promise((resolve) => exec('exit 7', (error, stdout, stderr) => resolve(log('callback', error.code, [stdout, stderr]))))
const bare = new childProcess.ChildProcess()
bare.spawn({ file: '/bin/sh', args: ['sh', '-c', 'exit 9'], stdio: 'ignore' })
log(bare.stdout, await closed(bare))
`

/** Killed by a timeout, by an AbortSignal, by signals, by itself; too much output. */
export const endings = `${head}
await promisify(execFile)('sleep', ['20'], { timeout: 60 }).catch((error) => log('timeout', error.killed, error.signal, error.code))
const hard = spawn('sleep', ['20'], { timeout: 60, killSignal: 'SIGKILL' })
log(await closed(hard), hard.killed)
const controller = new AbortController()
const aborted = spawn('sleep', ['20'], { signal: controller.signal })
aborted.on('error', (error) => log(error.name, error.code, error.cause))
setTimeout(() => controller.abort('enough'), 30)
log(await closed(aborted), aborted.killed)
await promisify(exec)('sleep 20', { signal: AbortSignal.timeout(40) }).catch((error) => log(error.name, error.code))
const own = spawn('sh', ['-c', 'kill -USR1 $$; sleep 20'])
log(await closed(own))
const known = spawn('sleep', ['20'])
log(process.kill(known.pid, 0), process.kill(known.pid, 'SIGINT'), await closed(known), known.killed)
try { process.kill(known.pid, 0) } catch (error) { log(error.code, error.syscall) }
const group = spawn('sh', ['-c', 'sleep 20 & wait'], { detached: true, stdio: 'ignore' })
log(process.kill(-group.pid, 'SIGKILL'), await closed(group))
const disposed = spawn('sleep', ['20'])
disposed[Symbol.dispose]()
log(await closed(disposed))
await promisify(exec)('yes | head -c 200000', { maxBuffer: 1000 }).catch((error) => log(error.code, error.stdout.length))
const deaf = spawn('sh', ['-c', 'exec 0<&-; sleep 0.2; echo done'])
deaf.stdin.on('error', (error) => log(error.code, error.syscall))
deaf.stdout.on('data', (bytes) => log(String(bytes)))
setTimeout(() => deaf.stdin.write(Buffer.alloc(300_000)), 80)
log(await closed(deaf))
`

/** The forms that wait, and what they throw. */
export const synchronous = `${head}
log(execSync('echo hello; echo complaint >&2').toString())
log(spawnSync('cat', { input: 'given', encoding: 'utf8' }).stdout)
log(execFileSync('tr', ['a-z', 'A-Z'], { input: 'shout', encoding: 'utf8' }))
try { execFileSync('sh', ['-c', 'echo out; echo bad >&2; exit 4'], { stdio: 'pipe' }) } catch (error) { log(error.status, error.message, String(error.stderr), error.output.length, typeof error.pid) }
const missing = spawnSync('no-such-program', ['x'])
log(missing.error.code, missing.error.path, missing.error.spawnargs, missing.status, missing.output)
const late = spawnSync('sleep', ['20'], { timeout: 60, killSignal: 'SIGKILL' })
log(late.error.code, late.signal, late.status)
log(spawnSync('sh', ['-c', 'yes | head -c 100000'], { maxBuffer: 10 }).error.code)
log(spawnSync('sh', ['-c', 'echo to stdout; echo to stderr >&2'], { stdio: 'inherit' }).output)
log(spawnSync('sh', ['-c', 'echo three >&3'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }).output.map(String))
log(spawnSync('sh', ['-c', 'echo $GREETING; pwd'], { cwd: '/', env: { GREETING: 'hi' }, encoding: 'utf8' }).stdout)
`

/**
 * Streams: between children and files, given from one child to another, further descriptors, output that is
 * inherited.
 */
export const streams = `${head}
import { createReadStream, createWriteStream, openSync, closeSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
const source = spawn('printf', ['b\\\\na\\\\nc\\\\n'])
await pipeline(source.stdout, createWriteStream('unsorted.txt'))
const sort = spawn('sort')
const sorted = []
sort.stdout.on('data', (bytes) => sorted.push(bytes))
const end = closed(sort)
await pipeline(createReadStream('unsorted.txt'), sort.stdin)
await end
log(String(Buffer.concat(sorted)))
const [first, second] = [spawn('cat'), spawn('tr', ['a-z', 'A-Z'])]
first.stdout.pipe(second.stdin)
second.stdout.pipe(process.stdout)
first.stdin.end('through two\\n')
await closed(second)
const one = spawn('printf', ['z\\\\ny\\\\n'])
const other = spawn('sort', [], { stdio: [one.stdout, 'pipe', 'inherit'] })
other.stdout.on('data', (bytes) => log(String(bytes)))
log(await closed(other), other.stdin)
one.stdout.destroy()
const more = spawn('sh', ['-c', 'cat <&3 >&4'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
more.stdio[4].on('data', (bytes) => log(String(bytes)))
more.stdio[3].end('more descriptors')
await closed(more)
const loud = spawn('sh', ['-c', 'echo first; echo second >&2; sleep 0.05; echo third'], { stdio: 'inherit' })
log(loud.stdout, await closed(loud))
const named = spawn('sh', ['-c', 'echo by stream'], { stdio: ['ignore', process.stdout, process.stderr] })
log(await closed(named))
const file = openSync('written-by-child.txt', 'w')
log(await closed(spawn('echo', ['x'], { stdio: ['ignore', file, 'ignore'] })))
closeSync(file)
`

/** Binary output, and where the world cut it. */
export const binary = `${head}
const child = spawn('sh', ['-c', 'head -c 100000 "$0"; head -c 3000 "$0" >&2; head -c 100000 "$0"', process.execPath])
const parts = []
child.stderr.on('data', (part) => parts.push(part))
child.stdout.on('data', (part) => parts.push(part))
log(await closed(child))
const bytes = Buffer.concat(parts)
log(bytes.length, parts.map((part) => part.length), bytes.subarray(0, 16).toString('hex'), bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7))
`

export const forkedChild = `
process.on('message', (message) => {
  process.send({ got: message, list: [1, 'two', null] })
  if (message.last) process.disconnect()
})
process.send('ready')
`

/** Messages both ways, in both serializations, and a channel that is closed from either side. */
export const messages = `${head}
for (const serialization of ['json', 'advanced']) {
  const child = fork('forked.mjs', ['x'], { serialization, execArgv: [] })
  log(child.connected, typeof child.send)
  child.on('disconnect', () => log('disconnect', child.connected))
  const got = []
  for (const word of ['one', 'two']) {
    child.send({ word })
    got.push(await new Promise((resolve) => child.once('message', resolve)))
  }
  child.on('message', (message) => got.push(message))
  child.send({ last: true, bytes: serialization === 'advanced' ? new Map([[1, 2n]]) : null }, (error) => log('sent', error))
  log(await closed(child), got)
  child.send('too late', (error) => log(error.code))
}
const silent = fork('forked.mjs', { silent: true })
await new Promise((resolve) => silent.once('message', resolve))
const gone = new Promise((resolve) => silent.once('exit', (...end) => resolve(end)))
silent.disconnect()
log(await gone, silent.stdout !== null)
`

/** A line is written, its answer awaited, the next one written. */
export const interactive = (lines: readonly string[]): string => `${head}
import { createInterface } from 'node:readline'
const shell = spawn('sh', ['-c', 'while read line; do echo "got $line"; done; echo bye'])
const answers = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
for (const line of ${JSON.stringify(lines)}) {
  shell.stdin.write(line + '\\n')
  log((await answers.next()).value)
}
shell.stdin.end()
log((await answers.next()).value, await closed(shell))
`

/** Twenty at once, which end in an order of their own. */
export const parallel = `${head}
const order = []
const run = (n) => new Promise((resolve) => {
  const child = spawn('sh', ['-c', 'sleep 0.0$1; echo $1; echo e$1 >&2', 'sh', String(n % 4)])
  child.stdout.on('data', (bytes) => order.push(n + ':' + String(bytes).trim()))
  child.stderr.on('data', (bytes) => order.push(n + ':' + String(bytes).trim()))
  child.on('close', (code) => { order.push(n + '=' + code); resolve() })
})
await Promise.all(Array.from({ length: 20 }, (_, n) => run(n)))
log(order.join(' '))
`

/**
 * What each shows, and its source. They print the same in each run; `forkedChild` lies beside them as
 * `forked.mjs`.
 */
export const steadyPrograms: readonly (readonly [name: string, source: string])[] = [
  ['the surface of a ChildProcess', surface],
  ['children that are killed', endings],
  ['the synchronous forms', synchronous],
  ['streams and descriptors', streams],
  ['messages of a forked child', messages],
  ['a conversation', interactive(['a', 'b', 'c'])],
]
