/** Programs that go on after a task of V8, or with `domain` loaded, are recorded like any other. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

test('reads after Atomics.waitAsync, with own work around them', async () => {
  const program = await recordProgram(`
    import { readFile } from 'node:fs/promises'
    const keepsAlive = setInterval(() => undefined, 1000)
    const lock = new Int32Array(new SharedArrayBuffer(4))
    for (let n = 0; n < 5; n += 1) {
      await readFile(new URL(import.meta.url))
      await Atomics.waitAsync(lock, 0, 0, 2).value
      console.log(Date.now(), Math.random())
    }
    clearInterval(keepsAlive)`)
  expect(program.recorded.stdout.split('\n')).toHaveLength(6)
  // The waits are real in a replay too (docs/limits.md), so only the recording is exact.
  const tape = readFileSync(program.tape, 'utf8')
  expect([tape.split('"Date.now"').length, tape.split('"Math.random"').length]).toEqual([6, 6])
})

test('a program that loads repl, and so domain, has a seal and receives signals', async () => {
  const program = await recordProgram(`
    import 'node:repl'
    process.on('SIGUSR2', () => { console.log('got', Date.now()); clearInterval(timer) })
    const timer = setInterval(() => undefined, 1000)
    setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 5)`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(await program.replay()).toMatchObject({ code: 0, stdout: program.recorded.stdout })
})
