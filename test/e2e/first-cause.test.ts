/** The message of a replay that diverged: the first cause comes first, and names what a person must look for. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readTapeEvents } from '../../src/tape/index.ts'
import { recordProgram } from '../support/recorded-program.ts'

/** Advances the clock by a real millisecond or more, without reading it. */
const WAIT = 'const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)'

const READS = (before: string): string => `
import { readFileSync } from 'node:fs'
${WAIT}
function stamp() { return Date.now() }
${before}
wait()
readFileSync('agent.mjs')
stamp()
await new Promise((resolve) => setTimeout(resolve, 1))
console.log('done')
`

test('another value of a clock read names the function, its caller, and the reads before it', async () => {
  const program = await recordProgram(READS('stamp()'))
  program.change(READS(''))
  const { report } = await program.replay()
  expect(report.divergences[0]?.message).toMatch(
    /^clock_read value_ms diverged: recorded=\d+ replay=\d+ \(Date\.now\(\), called by stamp \(agent\.mjs:4:\d+\); clock reads before it: 1 missing, 0 extra\)$/,
  )
})

test.each([
  ['performance.now()', 'performance.now()'],
  ['process.hrtime.bigint()', 'process.hrtime.bigint()'],
  ['new Date()', 'new Date()'],
])('%s is named as the program calls it', async (_name, call) => {
  const program = await recordProgram(READS(call).replaceAll('Date.now()', call))
  program.change(READS('').replaceAll('Date.now()', call))
  const { report } = await program.replay()
  expect(report.divergences[0]?.message).toContain(`(${call}, called by stamp (agent.mjs:4:`)
})

const WRITES = (before: string): string => `
import { writeFileSync } from 'node:fs'
${WAIT}
function stamp() { wait(); return Date.now() }
${before}
writeFileSync('out.txt', String([stamp(), stamp()]))
console.log('written')
`

test('a file with another time in it: the extra read is named, and what follows is folded', async () => {
  const program = await recordProgram(WRITES(''))
  program.change(WRITES('stamp()'))
  const { report, stderr } = await program.replay()
  const [first, ...others] = report.divergences
  expect(first?.message).toMatch(
    /^Replay diverged at record 2: writeFile out\.txt has another content.*\n {2}expected .*\n {2}got .*\n {2}before it {4}0 missing, 1 extra clock read\(s\); first: Date\.now\(\), called by stamp \(agent\.mjs:4:\d+\) is not on the tape$/,
  )
  // What Reprise itself prints is no output of the program.
  expect(others.map(({ category }) => category)).toEqual(['exit_code', 'stdout'])
  expect(stderr).toContain('reprise:   2 more follow from this; --report FILE lists all\n')
  expect(stderr).not.toContain('exit diverged')
})

test('in byte-identical mode the sum of missing reads names the first of them', async () => {
  const program = await recordProgram('Date.now()\nperformance.now()')
  program.change('Date.now()')
  const { report } = await program.replay({ args: ['--mode', 'byte-identical'] })
  expect(report.divergences[0]).toMatchObject({
    category: 'clock_missing',
    message:
      '1 clock read(s) on the tape that were not made\n  first        performance.now() of record 1 was not called',
  })
})

test('the last match is the record in which the matched call starts', async () => {
  const server = createServer((_request, response) => response.end('yes'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const source = (path: string): string => `
const ask = (path) => fetch('http://127.0.0.1:${port}' + path).then((answer) => answer.text())
await ask('/first')
await ask('${path}').catch(() => undefined)`
  const program = await recordProgram(source('/second'))
  program.change(source('/other'))
  const { report } = await program.replay()
  const starts = [...readTapeEvents(program.tape)].flatMap((event) =>
    event.type === 'record' && event.record.kind.kind === 'effect_start' ? [event.record] : [],
  )
  const start = starts.find(({ kind }) => kind.kind === 'effect_start' && kind.key.endsWith('/first'))
  expect(report.divergences[0]?.message).toContain(
    `\n  last match   #${start?.seq} GET http://127.0.0.1:${port}/first\n`,
  )
})
