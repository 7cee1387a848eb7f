import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readTapeBatches, readTapeEvents } from '../../tape/reader.ts'
import { KeptLines } from './kept-lines.ts'

const HEADER = '{"type":"header","version":1,"harn_version":"0","started_at_unix_ms":0}\n'
const MB = 1024 * 1024

function writeTape(sizeBytes: number, letter: string): string {
  const path = join(tempFolder(), 'run.tape')
  writeFileSync(path, HEADER)
  let seq = 0
  for (let size = 0; size < sizeBytes; ) {
    let text = ''
    // Lines of other lengths than the chunks of a reader, one of them longer than a chunk.
    for (; text.length < 4 * MB && size + text.length < sizeBytes; seq += 1) {
      const value = letter.repeat(seq === 700 ? 300_000 : 1000 + (seq % 977))
      const kind = `{"kind":"env_read","name":"A","value":"${value}"}`
      text += `{"type":"record","seq":${seq},"virtual_time_ms":0,"monotonic_ms":0,"kind":${kind}}\n`
      if (seq % 50 === 0) text += '\n'
    }
    size += text.length
    appendFileSync(path, text)
  }
  return path
}

it.each([
  ['a small tape', 1, 'x'],
  ['one that is parsed in part', 10, 'x'],
  ['one with characters of several bytes', 6, 'ü'],
  ['one whose bytes are not kept', 34, 'x'],
])('the events of %s come again, with their lines and places', (_what, size, letter) => {
  const path = writeTape(size * MB, letter)
  const kept = new KeptLines(path)
  for (const events of readTapeBatches(path, (chunk, place) => kept.addChunk(chunk, place)))
    kept.addEvents(events)
  const expected = readTapeEvents(path)
  let at = 0
  for (const events of kept.take())
    for (const event of events) {
      const { value } = expected.next()
      if (JSON.stringify(event) !== JSON.stringify(value)) expect(event).toEqual(value)
      at += 1
    }
  expect(expected.next().done).toBe(true)
  expect(at).toBeGreaterThan(500)
})

it('a tape of up to 32 MB may be gone when it is read again', () => {
  const path = writeTape(9 * MB, 'x')
  const kept = new KeptLines(path)
  let count = 0
  for (const events of readTapeBatches(path, (chunk, place) => kept.addChunk(chunk, place))) {
    kept.addEvents(events)
    count += events.length
  }
  writeFileSync(path, '')
  expect([...kept.take()].flat()).toHaveLength(count)
})
