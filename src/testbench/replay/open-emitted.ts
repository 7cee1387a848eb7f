/** Opens the file of the tape of a replay: same header, records as this run makes them. */
import type { Scrubber } from '../../scrub/index.ts'
import { copyCassette } from '../../tape/cassettes-folder.ts'
import { createStreamingRecorder, TapeWriter } from '../../tape/index.ts'
import { scrubHeader } from '../../tape/scrubbed-header.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { createServedClock, type EmittedTape, emittedTape } from './emitted-tape.ts'

export type OpenEmitted = { readonly writer: TapeWriter; readonly tape: EmittedTape }

export function openEmitted(path: string, out: string, index: TapeIndex, scrubber: Scrubber): OpenEmitted {
  const writer = TapeWriter.open(out, scrubHeader(index.header, scrubber))
  const clock = createServedClock()
  const copy = (name: string, newName: string): void => void copyCassette(path, name, out, newName)
  return { writer, tape: emittedTape(createStreamingRecorder(writer, clock), clock, scrubber, tapePayloads(path), copy) }
}
