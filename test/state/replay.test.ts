/**
 * State in a recorded run: the tape has every answer, a replay touches neither folder nor database, and sees
 * the same versions, owners and ids.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { initState } from '../../src/state/index.ts'
import { record, replay } from '../../src/testbench/index.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

const STATE = pathToFileURL(join(import.meta.dirname, '../../dist/state/index.js')).href

/** Everything that a handle can do, told on stdout; ids and times are whatever the run gave. */
const AGENT = `
import { initState, resumeState, listSessions } from ${JSON.stringify(STATE)}
const refused = (work) => work().then(() => console.log('not refused'), (error) => console.log(error.code, error.message, JSON.stringify(error.details)))
const state = await initState('./state', { writerId: 'coder', conflictPolicy: 'warn' })
console.log(JSON.stringify(state))
console.log(await state.write('plan.md', 'step 1'), await state.write('plan.md', 'step 2'))
console.log(await state.read('plan.md'), await state.read('none'), await state.entry('plan.md'))
for (let turn = 0; turn < 3; turn += 1) await state.update('counter', (count) => String(Number(count ?? 0) + 1))
console.log(await state.read('counter'))
await refused(() => state.write('plan.md', 'late', { ifVersion: '1-0000000000000000' }))
await refused(() => state.write('plan.md/below', 'x'))
await state.transaction(async (tx) => {
  await tx.write('a', '1')
  await tx.write('b/c', new Uint8Array([0, 255, 1]))
  await tx.delete('counter')
  console.log(await tx.list())
})
await refused(() => state.transaction(async (tx) => { await tx.write('a', '2'); throw Object.assign(new Error('given up'), { code: 'mine' }) }))
const history = await state.history('plan.md')
console.log(history, await state.diff('plan.md', history[0].version), await state.readBytes('b/c'))
await state.handoff({ did: 'things' })
console.log(await state.read('__handoff.json'), await state.list(), await listSessions('./state'))
const watch = await state.watch('a')
const awake = setInterval(() => undefined, 20)
const changed = (async () => { for await (const change of watch) return change })()
await state.write('a', 'new')
console.log('changed', await changed)
clearInterval(awake)
await state.close()
const other = await resumeState('./state', state.sessionId, { writerId: 'reviewer', conflictPolicy: 'error' })
await refused(() => other.write('plan.md', 'mine'))
console.log(await other.delete('a'), await other.delete('a'))
await refused(() => resumeState('./state', 'no-such'))
await other.close()
`

test('a recorded agent is replayed without its state folder', async () => {
  const program = await recordProgram(AGENT)
  expect([program.recorded.code, program.recorded.stderr]).toEqual([0, ''])
  expect(program.recorded.stdout).toContain("changed { key: 'a', version: '2-b20ab0a020a48d34' }")
  expect(existsSync(join(program.folder, 'state'))).toBe(true)
  rmSync(join(program.folder, 'state'), { recursive: true })
  const again = await program.replay()
  expect([again.code, again.stdout, again.report.verdict]).toEqual([0, program.recorded.stdout, 'faithful'])
  expect(existsSync(join(program.folder, 'state'))).toBe(false)
})

test('another content, another key, a call too few: each is a finding', async () => {
  const agent = (body: string): string => `import { initState } from ${JSON.stringify(STATE)}
    const state = await initState('./state', { sessionId: 's' })
    ${body}
    await state.close()`
  const program = await recordProgram(agent(`await state.write('plan', 'one'); await state.read('plan')`))
  expect((await program.replay()).report.verdict).toBe('faithful')
  program.change(agent(`await state.write('plan', 'two').catch(() => undefined); await state.read('plan')`))
  const content = await program.replay()
  expect([content.code, content.report.divergences[0]?.category]).toEqual([2, 'content'])
  expect([content.report.divergences[0]?.expected, content.report.divergences[0]?.actual]).toEqual([
    '"one"',
    '"two"',
  ])
  program.change(agent(`await state.write('other', 'one').catch(() => undefined)`))
  expect([(await program.replay()).code]).toEqual([2])
  program.change(agent(`await state.write('plan', 'one')`))
  const fewer = await program.replay()
  expect([fewer.code, fewer.report.unused.map(({ summary }) => summary)]).toEqual([
    2,
    ['state_read agent-state:s/plan'],
  ])
})

test('a secret in the state is not on the tape, and the replay is still the same run', async () => {
  const secret = `sk-ant-api03-${'A1b2C3d4'.repeat(11)}-AAAAAAAA`
  const tape = join(tempFolder(), 'secret.tape')
  const root = join(tempFolder(), 'state')
  const body = async (): Promise<string | null> => {
    await using state = await initState(root, { sessionId: 's', conflictPolicy: 'error' })
    await state.write('env', `KEY=${process.env.REPRISE_TEST_STATE_KEY ?? ''}`)
    await state.write('env', `${await state.read('env')}\n`)
    return state.read('env')
  }
  process.env.REPRISE_TEST_STATE_KEY = secret
  try {
    expect(await record(tape, body)).toBe(`KEY=${secret}\n`)
  } finally {
    delete process.env.REPRISE_TEST_STATE_KEY
  }
  rmSync(root, { recursive: true })
  expect(readFileSync(tape, 'utf8')).not.toContain(secret)
  const again = await replay(tape, body)
  expect([again.report.verdict, again.value]).toEqual([
    'faithful',
    'KEY=<redacted:env:REPRISE_TEST_STATE_KEY>\n',
  ])
})
