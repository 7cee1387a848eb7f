/**
 * Finds the call that the tape has where the program made another one: the first call of the turn that comes
 * after the last matched one. Null if the program made all of them and then one more. Also finds the record
 * in which the last matched effect starts. Reads the tape again, but only after a divergence.
 */
import { readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { isAnsweredAtOnce } from '../records/delivered-kinds.ts'

type ExpectedCall = { readonly seq: number; readonly key: string }

export type CallsMade = {
  /** Where the turn ends: the next outcome on the tape; null at its end. */
  readonly end: number | null
  isTaken(effect: number): boolean
  /** Whether the answer in this record was not delivered. */
  isLeft(seq: number): boolean
}

/** They carry other effects; no program requests them. */
export const SUPPORTING = /^(?:connect |socket\.setTimeout |signal )/

type CallPlaces = {
  readonly expected: ExpectedCall | null
  /** The record that starts the effect; null if there is none. */
  readonly start: number | null
}

export function callPlaces(path: string, made: CallsMade, effect: number | null): CallPlaces {
  let expected: ExpectedCall | null = null
  let start: number | null = null
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { record } = event
    if (record.kind.kind === 'effect_start' && record.kind.id === effect) start = record.seq
    if (made.end !== null && record.seq >= made.end) {
      if (start !== null || effect === null) break
      continue
    }
    const call = callOf(record, made)
    if (call === null) continue
    if (call.made) expected = null
    else expected ??= { seq: record.seq, key: call.key }
  }
  return { expected, start }
}

function callOf(
  record: TapeRecord,
  { isTaken, isLeft }: CallsMade,
): { readonly key: string; readonly made: boolean } | null {
  if (isAnsweredAtOnce(record)) return { key: record.kind.key, made: !isLeft(record.seq) }
  const { kind } = record
  return kind.kind === 'effect_start' && !SUPPORTING.test(kind.key)
    ? { key: kind.key, made: isTaken(kind.id) }
    : null
}
