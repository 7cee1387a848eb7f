/**
 * Finds the call that the tape has where the program made another one: the first call of the turn that comes
 * after the last matched one. Null if the program made all of them and then one more. Reads the tape again,
 * but only after a divergence.
 */
import { readTapeEvents, type TapeRecord } from '../../tape/index.ts'
import { isAnsweredAtOnce } from '../records/delivered-kinds.ts'

export type ExpectedCall = { readonly seq: number; readonly key: string }

export type CallsMade = {
  /** Where the turn ends: the next outcome on the tape; null at its end. */
  readonly end: number | null
  isTaken(effect: number): boolean
  /** Whether the answer in this record was not delivered. */
  isLeft(seq: number): boolean
}

/** They carry other effects; no program requests them. */
const SUPPORTING = /^(?:connect |socket\.setTimeout |signal )/

export function expectedCall(path: string, made: CallsMade): ExpectedCall | null {
  let expected: ExpectedCall | null = null
  for (const event of readTapeEvents(path)) {
    if (event.type !== 'record') continue
    const { record } = event
    if (made.end !== null && record.seq >= made.end) break
    const call = callOf(record, made)
    if (call === null) continue
    if (call.made) expected = null
    else expected ??= { seq: record.seq, key: call.key }
  }
  return expected
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
