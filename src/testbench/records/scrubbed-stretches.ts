/**
 * Bytes that a program reads from an open file piece by piece, on their way to the tape. A secret may go over the edge of two reads, so what could be
 * the beginning of one is held back and written with a later record, and what is left at the end of a stretch with a record of its own.
 */
import { label } from '../../base/index.ts'
import type { FsCall } from '../../boundaries/session.ts'
import type { Scrubbed, Scrubber, StreamScrubber } from '../../scrub/index.ts'
import type { Kind, TapeRecorder } from '../../tape/index.ts'

const TAIL = label('tail')

export type ScrubbedStretches = {
  read(answer: FsCall): Scrubbed<Pick<Kind<'fs_call'>, 'data' | 'stretch' | 'held'>>
  end(stretch: number, path: string): void
}

export function scrubbedStretches(recorder: TapeRecorder, scrubber: Scrubber): ScrubbedStretches {
  const open = new Map<number, StreamScrubber>()
  return {
    read({ data = new Uint8Array(), stretch = 0 }) {
      const stream = open.get(stretch) ?? scrubber.stream('received')
      open.set(stretch, stream)
      const bytes = recorder.chunkFromBytes(stream.push(data))
      return stream.held === 0 ? { data: bytes, stretch } : { data: bytes, stretch, held: stream.held }
    },
    end(stretch, path) {
      const stream = open.get(stretch)
      open.delete(stretch)
      if (stream === undefined) return
      const before = scrubber.hits
      const rest = stream.end()
      if (rest.byteLength === 0) return
      const data = recorder.chunkFromBytes(rest)
      const named = scrubber.text(path, 'sent')
      recorder.record({ kind: 'fs_call', call: TAIL, path: named, result: null, error: null, data, stretch }, scrubber.hits - before)
    },
  }
}
