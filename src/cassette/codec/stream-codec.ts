/**
 * The lines of input.jsonl, output.jsonl and service-events.jsonl between disk and memory. Frames have a file
 * of their own.
 */
import type { ScrubbedText } from '../../scrub/index.ts'
import { scrubbedBase64 } from '../../scrub/scrubbed-parts.ts'
import type { InputRecord, OutputRecord, ServiceEventRecord, Size, Timed } from './records.ts'
import { type WireObject, wireObject } from './wire-read.ts'
import { sortedKeys, unlessEmpty, wireLine } from './wire-write.ts'
import type { Writable } from './writable.ts'

export function readTimed(line: WireObject): Timed {
  return { seq: line.integer('seq'), tMs: line.integer('t_ms') }
}

/** The format's own nested types have no wire names, so Go's field names are on disk: `Rows` and `Cols`. */
export function readSize(size: WireObject): Size {
  return { rows: size.integer('Rows'), cols: size.integer('Cols') }
}

export function wireSize(size: Size): { readonly Rows: number; readonly Cols: number } {
  return { Rows: size.rows, Cols: size.cols }
}

export function readInput(value: unknown): InputRecord {
  const line = wireObject(value, '')
  const size = line.objectOrNull('size')
  return {
    ...readTimed(line),
    kind: line.text('kind'),
    bytes: line.bytes('bytes'),
    key: line.text('key'),
    size: size === null ? null : readSize(size),
    signal: line.text('signal'),
    reply: line.flag('reply'),
  }
}

export function inputLine(record: Writable<InputRecord>): ScrubbedText {
  return wireLine({
    seq: record.seq,
    t_ms: record.tMs,
    kind: record.kind,
    bytes: record.bytes === null || record.bytes.byteLength === 0 ? undefined : base64(record.bytes),
    key: unlessEmpty(record.key),
    size: record.size === null ? undefined : wireSize(record.size),
    signal: unlessEmpty(record.signal),
    reply: unlessEmpty(record.reply),
  })
}

function base64(bytes: Writable<Uint8Array>): ScrubbedText {
  return scrubbedBase64(bytes)
}

export function readOutput(value: unknown): OutputRecord {
  const line = wireObject(value, '')
  return {
    ...readTimed(line),
    offset: line.integer('offset'),
    length: line.integer('length'),
    sha256: line.text('sha256'),
  }
}

export function outputLine(record: Writable<OutputRecord>): ScrubbedText {
  return wireLine({
    seq: record.seq,
    t_ms: record.tMs,
    offset: record.offset,
    length: record.length,
    sha256: unlessEmpty(record.sha256),
  })
}

export function readServiceEvent(value: unknown): ServiceEventRecord {
  const line = wireObject(value, '')
  return { ...readTimed(line), payload: line.json('payload') }
}

export function serviceEventLine(record: Writable<ServiceEventRecord>): ScrubbedText {
  return wireLine({ seq: record.seq, t_ms: record.tMs, payload: sortedKeys(record.payload) })
}
