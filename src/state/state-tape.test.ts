import { expect, test } from 'vitest'
import { fromDisk } from '../scrub/scrubbed.ts'
import { createHeader, createTapeRecorder, runWithRecorder } from '../tape/index.ts'
import { initState } from './open.ts'

const KEY = `sk-ant-api03-${'A1b2C3d4'.repeat(11)}-AAAAAAAA`

test('reads and writes are on the active tape, scrubbed; what is stored is not', async () => {
  const recorder = createTapeRecorder()
  const state = await initState('memory:', { sessionId: 's' })
  await runWithRecorder(recorder, async () => {
    await state.write('plan.md', 'the plan')
    await state.read('plan.md')
    await state.read('missing')
    await state.list()
    await state.delete('plan.md')
    await state.write('env', `KEY=${KEY}`)
    await state.transaction(async (tx) => {
      await tx.write('a', '1')
      await tx.write('b', '2')
    })
    await state.transaction(async () => Promise.reject(new Error('given up'))).catch(() => undefined)
  })
  await state.write('after', 'not recorded')
  const tape = recorder.snapshot(fromDisk(createHeader()))
  const shown = tape.records.map(({ kind }) => ('path' in kind ? `${kind.kind} ${kind.path}` : kind.kind))
  expect(shown).toEqual([
    'file_write agent-state:s/plan.md',
    'file_read agent-state:s/plan.md',
    'fs_call agent-state:s/missing',
    'fs_call agent-state:s/',
    'file_delete agent-state:s/plan.md',
    'file_write agent-state:s/env',
    'file_write agent-state:s/a',
    'file_write agent-state:s/b',
  ])
  expect(JSON.stringify(tape.records)).not.toContain(KEY)
  expect(tape.records[5]?.scrubbed).toBe(1)
  expect(await state.read('env')).toBe(`KEY=${KEY}`)
})
