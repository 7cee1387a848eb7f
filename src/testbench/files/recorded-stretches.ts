/** Bytes of a stretch of an open file as they were read, from the records that hold them: some may stand further on. */
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { StreamReplay } from '../stream-replay.ts'

type Part = Kind<'stream_chunk' | 'stream_end'>

/** `ahead` gives the records that have not had their turn, in the order of the tape. */
export function recordedStretches(payloads: TapePayloads, ahead: () => Iterable<TapeRecord>): (kind: Kind<'fs_call'>) => Uint8Array {
  const streams = new Map<number, StreamReplay>()
  return (kind) => {
    if (kind.data === undefined) return new Uint8Array()
    const { stretch } = kind
    // Nothing was held back, now or before: the bytes are those of the record.
    if (stretch === undefined || (kind.held === undefined && !streams.has(stretch))) return payloads(kind.data)
    const stream = streams.get(stretch) ?? new StreamReplay(payloads, () => partsOf(stretch, ahead()))
    streams.set(stretch, stream)
    if (kind.result === 0) streams.delete(stretch)
    return stream.chunk(partOf(kind))
  }
}

function* partsOf(stretch: number, records: Iterable<TapeRecord>): Generator<Part> {
  for (const { kind } of records) if (kind.kind === 'fs_call' && kind.stretch === stretch && kind.data !== undefined) yield partOf(kind)
}

function partOf({ data, held, stretch = 0 }: Kind<'fs_call'>): Kind<'stream_chunk'> {
  return {
    kind: 'stream_chunk',
    of: stretch,
    n: 0,
    direction: 'in',
    data: data ?? { form: 'text', text: '' },
    ...(held === undefined ? {} : { held }),
  }
}
