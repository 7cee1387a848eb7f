import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { fromDisk, fromReprise } from '../scrub/scrubbed.ts'
import { EventTape } from './event-tape.ts'
import { createHeader } from './header.ts'
import type { Kind } from './kinds.ts'
import { createStreamingRecorder, createTapeRecorder } from './recorder.ts'
import type { TapeRecorder } from './tape-recorder.ts'
import { TapeWriter } from './writer.ts'

const header = fromReprise(createHeader({ startedAtUnixMs: 5 }))
const kind: Kind<'stream_chunk'> = {
  kind: 'stream_chunk',
  of: 1,
  n: 0,
  direction: 'in',
  data: { form: 'text', text: 'ab' },
}
const textOf = (text: string) => ({ text: fromDisk<string>(text), bytes: Buffer.byteLength(text) })
const begin = (recorder: TapeRecorder) => recorder.recordGrowing(fromDisk(kind), textOf('ab'))

test('a chunk joins until another record comes', () => {
  const recorder = createTapeRecorder()
  const { seq } = begin(recorder)
  expect(recorder.join(1, textOf('cde'))?.seq).toBe(seq)
  expect(recorder.join(2, textOf('x'))).toBe(null)
  recorder.record(fromReprise({ kind: 'timer_fire', id: 3 }))
  expect(recorder.join(1, textOf('f'))).toBe(null)
  expect(recorder.snapshot(header).records.map((each) => each.kind)).toEqual([
    { ...kind, data: { form: 'text', text: 'abcde' }, parts: [2, 3] },
    { kind: 'timer_fire', id: 3 },
  ])
})

test('a snapshot ends it, and one chunk alone has no parts', () => {
  const recorder = createTapeRecorder()
  begin(recorder)
  expect(recorder.snapshot(header).records.map((each) => each.kind)).toEqual([kind])
  expect(recorder.join(1, textOf('c'))).toBe(null)
})

test('it is with the operating system when its tick ends, before a flush, and when the tape is closed', async () => {
  for (const end of [() => null, 'flush', 'abandon', 'close'] as const) {
    const path = join(tempFolder(), 'run.tape')
    using writer = TapeWriter.open(path, header)
    const recorder = createStreamingRecorder(writer)
    begin(recorder)
    recorder.join(1, textOf('c'))
    if (typeof end === 'string') writer[end]()
    else await end()
    expect(readFileSync(path, 'utf8').split('\n')[1]).toContain('{"text":"abc"},"parts":[2,1]}')
    expect(recorder.join(1, textOf('d'))).toBe(null)
  }
})

test('a seal counts it', () => {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, header)
  begin(createStreamingRecorder(writer))
  expect(writer.close().records).toBe(1)
  expect(EventTape.loadSync(path).records.at(-1)?.kind).toMatchObject({ kind: 'tape_seal', records: 1 })
})
