/**
 * Reads a record whose kind is the same text as that of the record before: many clock reads in one
 * millisecond. Only the numbers of the envelope differ, so nothing is parsed. Both share one kind in memory.
 *
 * Accepts exactly what `encodeRecord` writes; any other text is null, and the caller parses it.
 */
import type { RecordKind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

const SEQ = '{"type":"record","seq":'
const TIME = ',"phase":"user_script","virtual_time_ms":'
const MONOTONIC = ',"monotonic_ms":'
const KIND = ',"kind":{"kind":"clock_read",'
/** More digits may not fit into a double. */
const MAX_DIGITS = 15

export class RepeatedKind {
  #text = ''
  #kind: RecordKind | null = null
  /** The last record that was read here, and its line after the digits of its number. */
  #last: TapeRecord | null = null
  #rest = ''

  read(line: string): TapeRecord | null {
    const kind = this.#kind
    if (kind === null || !line.startsWith(SEQ)) return null
    const seqEnd = digitsEnd(line, SEQ.length)
    if (seqEnd < 0) return null
    const last = this.#last
    if (last === null || line.length !== seqEnd + this.#rest.length || !line.endsWith(this.#rest))
      return this.#readEnvelope(line, seqEnd, kind)
    const { phase, virtualTimeMs, monotonicMs } = last
    return { seq: numberAt(line, SEQ.length, seqEnd), phase, virtualTimeMs, monotonicMs, kind }
  }

  #readEnvelope(line: string, seqEnd: number, kind: RecordKind): TapeRecord | null {
    if (!line.startsWith(TIME, seqEnd)) return null
    const timeEnd = digitsEnd(line, seqEnd + TIME.length)
    if (timeEnd < 0 || !line.startsWith(MONOTONIC, timeEnd)) return null
    const monotonicEnd = digitsEnd(line, timeEnd + MONOTONIC.length)
    if (monotonicEnd < 0 || line.length !== monotonicEnd + this.#text.length) return null
    if (!line.startsWith(this.#text, monotonicEnd)) return null
    this.#rest = line.slice(seqEnd)
    this.#last = {
      seq: numberAt(line, SEQ.length, seqEnd),
      phase: 'user_script',
      virtualTimeMs: numberAt(line, seqEnd + TIME.length, timeEnd),
      monotonicMs: numberAt(line, timeEnd + MONOTONIC.length, monotonicEnd),
      kind,
    }
    return this.#last
  }

  /** `record` is what `line` was parsed to. */
  remember(line: string, { kind }: TapeRecord): void {
    if (kind.kind !== 'clock_read') return
    const at = line.indexOf(KIND)
    const text = line.slice(at)
    // Nothing but the kind follows the envelope: its end is the end of the line.
    if (at < 0 || !/^,"kind":\{[^{}]*\}\}$/.test(text)) return
    this.#text = text
    this.#kind = kind
    this.#last = null
  }
}

/** Just after the integer that begins at `from`; -1 if there is none, as JSON spells it. */
function digitsEnd(line: string, from: number): number {
  let at = from
  while (isDigit(line.charCodeAt(at))) at += 1
  const digits = at - from
  if (digits === 0 || digits > MAX_DIGITS) return -1
  return digits > 1 && line.charCodeAt(from) === ZERO ? -1 : at
}

function numberAt(line: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at += 1) number = number * 10 + line.charCodeAt(at) - ZERO
  return number
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= ZERO + 9
}

const ZERO = 0x30
