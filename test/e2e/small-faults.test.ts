/**
 * Small things that a replay must get right: cookies that are printed, facts imported by name, streams that
 * are open when the process ends.
 */
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const COOKIES = ['sid=abcd1234; Path=/; HttpOnly', 'token=AbcD1234567890xyzQ; Path=/', 'theme=dark; Path=/']
let server: http.Server
let base = ''
beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.url === '/cookies') response.setHeader('set-cookie', COOKIES).end('{}')
    // Ends in what could be the beginning of a key, and goes on only much later.
    else response.write('the answer is sk-proj-abcdefgh')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a program that prints the cookies it was given is faithful, and the secret ones are not on the tape', async () => {
  const program = await recordProgram(
    `const response = await fetch(process.env.BASE + '/cookies')
     for (const cookie of response.headers.getSetCookie()) console.log(cookie, cookie.split(';')[0].split('=')[1])`,
    { BASE: base },
  )
  expect(program.recorded.stdout).toContain('abcd1234')
  const tape = readFileSync(program.tape, 'utf8')
  expect(['abcd1234', 'AbcD1234567890xyzQ', 'theme=dark'].map((text) => tape.includes(text))).toEqual([
    false,
    false,
    true,
  ])
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [] })
  expect(stdout).toContain('theme=dark; Path=/ dark')
})

test('bytes that the program has seen are on the tape, also if it ends while the stream is open', async () => {
  const program = await recordProgram(
    `const { body } = await fetch(process.env.BASE + '/open')
     for await (const chunk of body) { console.log(Buffer.from(chunk).toString()); process.exit(0) }`,
    { BASE: base },
  )
  expect(program.recorded.stdout).toBe('the answer is sk-proj-abcdefgh\n')
  const { report, stdout } = await program.replay()
  expect(stdout).toBe(program.recorded.stdout)
  expect(report).toMatchObject({ verdict: 'faithful' })
})

test('facts of the process that are imported by name are the recorded ones', async () => {
  const program = await recordProgram(
    "import { pid, ppid, platform } from 'node:process'\nconsole.log(pid, ppid, platform, process.pid)",
  )
  const { report, stdout } = await program.replay()
  expect([stdout, report.verdict]).toEqual([program.recorded.stdout, 'faithful'])
})

test('a program that is busy while the tape waits for it is not called diverged', async () => {
  const source = `
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (process.env.BUSY) { const { busy } = await import('./busy.mjs'); busy() }
    console.log(await new Promise((resolve) => setTimeout(resolve, 1, 'late')))`
  const program = await recordProgram(source)
  program.change(
    source.replace(
      "if (process.env.BUSY) { const { busy } = await import('./busy.mjs'); busy() }",
      'for (let end = process.hrtime.bigint, n = 0; n < 3e9; n += 1);',
    ),
  )
  const { report, stdout } = await program.replay()
  expect([stdout, report.divergences]).toEqual(['late\n', []])
})

test('a program turns reports on: a replay gives the value back, and Node writes none', async () => {
  const program = await recordProgram(`
    const names = ['reportOnFatalError', 'reportOnUncaughtException']
    Date.now()
    for (const name of names) process.report[name] = true
    console.log(names.map((name) => process.report[name]))
    process.report.reportOnFatalError = false
    console.log(names.map((name) => process.report[name]))
    try { process.report.reportOnFatalError = 'yes' } catch (error) { console.log(error.code) }
    process.report.reportOnFatalError = true
    throw new Error('last')
  `)
  expect(program.recorded).toMatchObject({ code: 1 })
  const written = reportsIn(program.folder)
  expect(written).toHaveLength(1)
  const replay = await program.replay()
  expect(replay).toMatchObject({ code: 1, stdout: program.recorded.stdout })
  expect(replay.report).toMatchObject({ verdict: 'faithful', gaps: [], divergences: [] })
  expect(reportsIn(program.folder)).toEqual(written)
})

/** Node's own name for a report. */
function reportsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^report\.\d+\./.test(name))
}
