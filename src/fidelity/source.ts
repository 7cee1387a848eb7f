/**
 * What is compared: a stream of tape events, and the way to the bytes of its payloads. A tape in memory, a
 * tape file and a plain list of records all become one of these; nothing here opens a file until it is read.
 */
import { RepriseError } from '../errors/index.ts'
import { EventTape } from '../tape/event-tape.ts'
import type { Chunk, Payload } from '../tape/fields.ts'
import type { Kind } from '../tape/kinds.ts'
import type { TapeEvent } from '../tape/parser.ts'
import { payloadBytes } from '../tape/payload.ts'
import { readTapeEvents } from '../tape/reader.ts'
import type { TapeRecord } from '../tape/record.ts'
import { tapePayloads } from '../tape/tape-payloads.ts'

export type TapeSource = {
  /** How errors and reports call it: the path of the file. */
  readonly name: string
  readonly events: Iterable<TapeEvent>
  /** The bytes of a payload; throws a RepriseError (`cas-missing`, …) where they are not to be had. */
  resolve(payload: Payload | Chunk): Uint8Array
  /** False while a source that is still being made has no further event. A source without it is whole. */
  isReady?(): boolean
  /** How the run ended, of a source without a seal. Asked after the last event. */
  end?(): RunEnd | null
}

/** What a seal stores about the end of a run. */
export type RunEnd = Pick<Kind<'tape_seal'>, 'exit' | 'stdout' | 'stderr'>

export type Comparable = TapeSource | EventTape | Iterable<TapeRecord>

export function sourceOf(comparable: Comparable, name: string): TapeSource {
  if (comparable instanceof EventTape) return sourceOfTape(comparable, name)
  if ('events' in comparable) return comparable
  return sourceOfRecords(comparable, name)
}

/** A tape on disk, streamed. */
export function tapeFile(path: string): TapeSource {
  return { name: path, events: readTapeEvents(path), resolve: tapePayloads(path) }
}

function sourceOfTape(tape: EventTape, name: string): TapeSource {
  return { name, events: eventsOf(tape.records, tape), resolve: (payload) => tape.resolvePayload(payload) }
}

function sourceOfRecords(records: Iterable<TapeRecord>, name: string): TapeSource {
  const missing = (): never => {
    throw new RepriseError('cas-missing', `${name} has no payloads outside its records`, {
      hint: 'compare tapes instead of lists of records',
    })
  }
  return { name, events: eventsOf(records, null), resolve: (payload) => payloadBytes(payload, missing) }
}

function* eventsOf(records: Iterable<TapeRecord>, tape: EventTape | null): Generator<TapeEvent, void, void> {
  if (tape !== null) yield { type: 'header', header: tape.header, text: '', line: 0, offset: 0 }
  for (const record of records) yield { type: 'record', record, text: '', line: 0, offset: 0 }
  if (tape?.torn != null) yield { type: 'torn', line: tape.torn.line, offset: 0, bytes: tape.torn.bytes }
}
