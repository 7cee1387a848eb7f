/**
 * The chunks that share a record, as if each had its own. All have the number and the times of the record that
 * they share. Two recordings of one answer may be split into records at other places: they are compared chunk
 * by chunk.
 */
import { label, textOrNull, utf8 } from '../base/index.ts'
import type { Chunk } from './fields.ts'
import type { Kind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

/** Null if the record is no shared one, or its lengths are not those of its bytes. */
export function separateChunks(record: TapeRecord): readonly TapeRecord[] | null {
  const { kind } = record
  if (kind.kind !== 'stream_chunk' || kind.parts === undefined || kind.data.form !== 'text') return null
  const bytes = utf8(kind.data.text)
  if (!areLengthsOf(kind.parts, bytes)) return null
  const { parts, data: _data, ...rest } = kind
  let end = 0
  return parts.map((length, at) => {
    const start = end
    end += length
    const data = chunkOf(bytes.subarray(start, end))
    const own: Kind<'stream_chunk'> = { ...rest, n: kind.n + at, data }
    return { ...record, kind: at === 0 ? own : { ...own, turn: SAME_TURN } }
  })
}

/** Whether the lengths in `parts` split these bytes. */
export function areLengthsOf(parts: readonly number[], bytes: Uint8Array): boolean {
  return parts.reduce((sum, length) => sum + length, 0) === bytes.byteLength
}

/** Copies of the parts with these lengths: a program may transfer the memory of each. */
export function slicesOf(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  let end = 0
  return lengths.map((length) => {
    end += length
    return Uint8Array.prototype.slice.call(bytes, end - length, end)
  })
}

function chunkOf(bytes: Uint8Array): Chunk {
  const text = textOrNull(bytes)
  return text === null ? { form: 'base64', bytes } : { form: 'text', text }
}

const SAME_TURN = label('same')
