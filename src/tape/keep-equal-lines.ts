/**
 * Makes an updated tape a small change of the older one, for reviews in git: a record that is equal to the
 * older record with the same number keeps its old line, times included. Any other record gets the times of the
 * older record with its number: a review shows what changed, and times never go backwards.
 *
 * Rewrites the tape at `fresh`, with a seal of its own. Payloads are not touched: equal records name equal
 * payloads. A tape that is not whole, or is signed, stays as it is.
 *
 * Decision 0340.
 */
import { fs } from '../real/fs.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import type { TapeEvent } from './parser.ts'
import { readTapeEvents } from './reader.ts'
import { encodeRecord, type TapeRecord } from './record.ts'
import type { SealFacts } from './seal.ts'
import { TapeWriter } from './writer.ts'

export function keepEqualLines(older: string, fresh: string): void {
  const target = `${fresh}.merged`
  const isWhole = merge(linesOf(older), linesOf(fresh), target)
  if (isWhole) fs.renameSync(target, fresh)
  else fs.rmSync(target, { force: true })
}

type Line =
  | { readonly type: 'header'; readonly text: string }
  | { readonly type: 'record'; readonly record: TapeRecord; readonly text: string }

/** False if the fresh tape has no seal that can be written again. */
function merge(olderLines: Iterator<Line>, fresh: Iterable<Line>, target: string): boolean {
  let writer: TapeWriter | null = null
  const timesOf = createTimes()
  for (const line of fresh) {
    const old = nextOf(olderLines)
    if (line.type === 'header') {
      writer = TapeWriter.openCopy(target, fromDisk<string>(line.text), { force: true })
      continue
    }
    if (writer === null) return false
    if (line.record.kind.kind === 'tape_seal') return seal(writer, line.record.kind)
    const { record } = line
    const older = old?.type === 'record' && old.record.kind.kind !== 'tape_seal' ? old : null
    const times = timesOf(record, older?.record ?? null)
    if (older !== null && areEqual(older.record, record))
      writer.copy(fromDisk<TapeRecord>(older.record), fromDisk<string>(older.text))
    else writer.append(fromDisk<TapeRecord>({ ...record, ...times }))
  }
  writer?.abandon()
  return false
}

type SealKind = Extract<TapeRecord['kind'], { readonly kind: 'tape_seal' }>

function seal(writer: TapeWriter, kind: SealKind): boolean {
  if (kind.signature !== undefined) {
    writer.abandon()
    return false
  }
  const { boundaries, exit, stdout, stderr, places, children, endedBy } = kind
  const facts = {
    ...{ boundaries, exit, stdout, stderr },
    ...(places === undefined ? {} : { places }),
    ...(children === undefined ? {} : { children }),
    ...(endedBy === undefined ? {} : { endedBy }),
  }
  writer.close(fromDisk<SealFacts>(facts as SealFacts))
  return true
}

/** Everything but the times. */
function areEqual(a: TapeRecord, b: TapeRecord): boolean {
  return a.seq === b.seq && a.kind.kind === b.kind.kind && withoutTimes(a) === withoutTimes(b)
}

function withoutTimes(record: TapeRecord): string {
  return encodeRecord({ ...record, virtualTimeMs: 0, monotonicMs: 0 })
}

type Times = Pick<TapeRecord, 'virtualTimeMs' | 'monotonicMs'>

/**
 * Times for a record that is not kept: those of the older record with its number. After the end of the older
 * tape, those of the record before, and as much later as it was recorded.
 */
function createTimes(): (fresh: TapeRecord, old: TapeRecord | null) => Times {
  let written: Times | null = null
  let recorded: Times | null = null
  const later = (name: keyof Times, fresh: TapeRecord): number =>
    written === null || recorded === null
      ? fresh[name]
      : written[name] + Math.max(0, fresh[name] - recorded[name])
  return (fresh, old) => {
    const { virtualTimeMs, monotonicMs } = old ?? {
      virtualTimeMs: later('virtualTimeMs', fresh),
      monotonicMs: later('monotonicMs', fresh),
    }
    written = { virtualTimeMs, monotonicMs }
    recorded = fresh
    return written
  }
}

function nextOf(lines: Iterator<Line>): Line | null {
  const next = lines.next()
  return next.done === true ? null : next.value
}

/** Up to the first damage. */
function* linesOf(path: string): Generator<Line, void, undefined> {
  for (const event of readTapeEvents(path)) {
    const line = lineOf(event)
    if (line === null) return
    yield line
  }
}

function lineOf(event: TapeEvent): Line | null {
  switch (event.type) {
    case 'header':
      return { type: 'header', text: event.text }
    case 'record':
      return { type: 'record', record: event.record, text: event.text }
    case 'damage':
    case 'torn':
      return null
  }
}
