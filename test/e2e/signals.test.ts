/**
 * Signals from outside that a program handles are on its tape, and come from there in a replay, at their
 * place.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { withoutFeatures } from '../support/older-tape.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = new URL('../../bin/reprise.js', import.meta.url).pathname

/** Records the program and sends it, not us, each signal when it asks for one. */
async function recordWithSignals(
  folder: string,
  source: string,
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  writeFileSync(join(folder, 'agent.mjs'), source)
  const child = spawn(
    process.execPath,
    [bin, 'record', '--quiet', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      // A program may send a signal to its whole group.
      detached: true,
    },
  )
  let stdout = ''
  let answered = 0
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    const asks = [...stdout.matchAll(/^send (\w+) to (\d+)$/gm)]
    for (const [, signal = '', pid] of asks.slice(answered)) process.kill(Number(pid), signal)
    answered = asks.length
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout }
}

test('handled signals come out at their place among other outcomes', async () => {
  const folder = tempFolder()
  const recorded = await recordWithSignals(
    folder,
    `
    let ticks = 0
    const interval = setInterval(() => { ticks += 1 }, 3)
    const next = (signal) => new Promise((resolve) => {
      process.once(signal, (...args) => resolve([signal, ...args, ticks]))
      console.log('send ' + signal + ' to ' + process.pid)
    })
    for (const signal of ['SIGUSR2', 'SIGINT', 'SIGUSR2', 'SIGTERM']) console.log(JSON.stringify(await next(signal)))
    process.emit('SIGHUP', 'by hand')
    process.on('SIGHUP', (word) => console.log('hup', word))
    process.emit('SIGHUP', 'by hand')
    clearInterval(interval)
    process.exitCode = 3`,
  )
  expect(recorded.code).toBe(3)
  expect(recorded.stdout).toContain('["SIGTERM","SIGTERM",15,')
  expect(recorded.stdout).toContain('hup by hand')
  for (let round = 0; round < 3; round += 1) {
    const replayed = await reprise(['replay', 'run.tape', '--report', 'report.json'], { cwd: folder })
    expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([3, recorded.stdout, ''])
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toMatchObject({
      verdict: 'faithful',
    })
  }
})

test('a signal that ends a program which cleans up first', async () => {
  const folder = tempFolder()
  const recorded = await recordWithSignals(
    folder,
    `
    process.on('SIGTERM', () => { console.log('cleaning up', Date.now()); process.exit(0) })
    setInterval(() => {}, 1000)
    console.log('send SIGTERM to ' + process.pid)`,
  )
  expect(recorded.code).toBe(0)
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout])
})

test('a signal that a program sends to itself and handles comes from the tape', async () => {
  const folder = tempFolder()
  const recorded = await recordWithSignals(
    folder,
    `
    process.on('SIGTERM', () => { console.log('told to stop'); setTimeout(() => process.exit(9), 5) })
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 5)
    setInterval(() => {}, 1000)`,
  )
  expect([recorded.code, recorded.stdout]).toEqual([9, 'told to stop\n'])
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([9, recorded.stdout, ''])
})

test.each(['SIGTERM', 'SIGINT'])(
  'a program that %s killed while it waited dies by it again, where the tape ends',
  async (signal) => {
    const folder = tempFolder()
    const recorded = await recordWithSignals(
      folder,
      `
    process.on('exit', () => console.log('never said'))
    process.on('beforeExit', () => console.log('never said either'))
    await new Promise((resolve) => setTimeout(resolve, 2))
    setInterval(() => {}, 10000)
    console.log('send ${signal} to ' + process.pid)
    await new Promise(() => {})`,
    )
    expect(recorded.code).toBe(signal === 'SIGTERM' ? 143 : 130)
    const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
    expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([recorded.code, recorded.stdout, ''])
  },
)

test('a program that leaves by itself where it was killed has diverged', async () => {
  const folder = tempFolder()
  const source = `
    setInterval(() => {}, 10000)
    console.log('send SIGTERM to ' + process.pid)`
  await recordWithSignals(folder, source)
  writeFileSync(join(folder, 'agent.mjs'), `${source}\nprocess.exit(0)`)
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stderr.includes('exit diverged: recorded=SIGTERM replay=0')]).toEqual([
    2,
    true,
  ])
})

test.each([
  ['at once', "process.kill(process.pid, 'SIGINT')", 130],
  ['with nothing else left to do', "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 2)", 143],
  [
    'after it has handled that signal',
    `process.once('SIGHUP', () => process.kill(process.pid, 'SIGHUP'))
    process.kill(process.pid, 'SIGHUP')
    setTimeout(() => {}, 60_000)`,
    129,
  ],
  ['with its pid as text', "setTimeout(() => process.kill(process.pid + '\\n', 'SIGTERM'), 2)", 143],
  ['with its whole group', "setTimeout(() => process.kill(0, 'SIGTERM'), 2)", 143],
  ['without a name', 'setTimeout(() => process.kill(process.pid, false), 2)', 143],
])('a program that ends itself by a signal, %s', async (_when, kill, code) => {
  const folder = tempFolder()
  const source = `process.on('exit', () => console.log('never'))\nconsole.log('before')\n${kill}`
  const recorded = await recordWithSignals(folder, `${source}\nconsole.log('next')`)
  expect(recorded).toEqual({ code, stdout: code === 130 ? 'before\n' : 'before\nnext\n' })
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([code, recorded.stdout, ''])
})

test('on a tape of before, a program that ends itself by a signal runs on until its next turn', async () => {
  const folder = tempFolder()
  const source = `
    console.log('send SIGTERM to ' + process.pid)
    setInterval(() => {}, 10000)`
  const recorded = await recordWithSignals(folder, source)
  writeFileSync(join(folder, 'agent.mjs'), `process.kill(process.pid, 'SIGTERM')${source}`)
  const replay = () => reprise(['replay', 'run.tape'], { cwd: folder })
  const replayed = await replay()
  expect([replayed.code, replayed.stdout]).toEqual([2, ''])
  withoutFeatures(join(folder, 'run.tape'))
  const older = await replay()
  expect([older.stdout, older.stderr]).toEqual([recorded.stdout, expect.stringContaining(' 0 divergence(s)')])
})

test.each(['exit', 'beforeExit'])(
  'a program that ends itself by a signal in a listener of %s',
  async (event) => {
    const folder = tempFolder()
    const source = `
    process.on('${event}', () => {
      console.log('cleaning up')
      process.kill(process.pid, 'SIGTERM')
    })
    console.log('before')`
    const recorded = await recordWithSignals(folder, source)
    expect(recorded).toEqual({ code: 143, stdout: 'before\ncleaning up\n' })
    const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
    expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([143, recorded.stdout, ''])
  },
)

test('a signal to the own group that the program listens to', async () => {
  const folder = tempFolder()
  const source = `
    process.once('SIGTERM', (signal) => { console.log(signal); process.exitCode = 4 })
    process.kill(0, 'SIGTERM')
    setTimeout(() => {}, 50)`
  const recorded = await recordWithSignals(folder, source)
  expect(recorded).toEqual({ code: 4, stdout: 'SIGTERM\n' })
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([4, recorded.stdout, ''])
})

test('a replay does not ask this machine for a process whose pid is text', async () => {
  const folder = tempFolder()
  const stranger = spawn('sleep', ['60'])
  const recorded = await recordWithSignals(
    folder,
    `try { console.log(process.kill('${stranger.pid}', 0)) } catch (error) { console.log(error.code) }`,
  )
  expect(recorded).toEqual({ code: 0, stdout: 'true\n' })
  await new Promise((resolve) => stranger.on('close', resolve).kill())
  const replay = () => reprise(['replay', 'run.tape'], { cwd: folder })
  const replayed = await replay()
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([0, recorded.stdout, ''])
  // A tape of before has no answer.
  withoutFeatures(join(folder, 'run.tape'))
  expect(await replay()).toMatchObject({ stdout: 'ESRCH\n' })
})
