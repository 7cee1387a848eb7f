/**
 * Two recordings are compared by the screens before each input and at the end; times, ids and durations do
 * not count.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRecorder, diffCassettes, open } from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Step = string | { type: string }

async function recorded(steps: readonly Step[], code = 0) {
  const recorder = createRecorder(join(tempFolder(), 'c'), { terminal: { initialRows: 4, initialCols: 40 } })
  for (const step of steps) {
    if (typeof step === 'string') recorder.recordOutput(Buffer.from(step))
    else recorder.recordInput({ bytes: Buffer.from(step.type) })
  }
  recorder.recordFinal({ exit: { code, signal: '', exited: true, signaled: false } })
  return open(await recorder.close())
}

test('the same screens, cut and timed otherwise', async () => {
  const a = await recorded([
    'started 12:00:01 pid=77 took 1.5s\r\n',
    { type: 'x' },
    'id 123e4567-e89b-12d3-a456-426614174000',
  ])
  const b = await recorded([
    'started ',
    '13:10:22 pid=9 ',
    'took 20ms\r\n',
    { type: 'x' },
    'id 00000000-e89b-12d3-a456-426614174999',
  ])
  expect(await diffCassettes(a, b)).toMatchObject({ same: true, screens: [2, 2], differences: [] })
})

test('another screen before an input, another end, another exit', async () => {
  const a = await recorded(['one\r\n', { type: 'x' }, 'two'])
  const b = await recorded(['ONE\r\n', { type: 'x' }, 'two'], 1)
  const result = await diffCassettes(a, b)
  expect(result).toMatchObject({ same: false, exit: { a: 'code 0', b: 'code 1', same: false } })
  expect(result.differences.map(({ before, rows }) => [before, rows])).toEqual([
    ['input "x"', [1]],
    ['the end', [1]],
  ])
})

test('an input that only one has', async () => {
  const a = await recorded(['one', { type: 'x' }])
  const b = await recorded(['one', { type: 'x' }, { type: 'y' }])
  const result = await diffCassettes(a, b)
  expect(result).toMatchObject({ same: false, screens: [2, 3] })
  expect(result.differences.map(({ before, a: left }) => [before, left === null])).toEqual([
    ['input "y"', true],
  ])
})
