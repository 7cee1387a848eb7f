/** The divergence for what the program asks for and the tape does not have. */
import type { Divergence } from '../../fidelity/divergence.ts'
import { unmatched, unrecorded } from '../../fidelity/sentences.ts'
import { summaryOf } from '../records/delivered-kinds.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'
import { findClosest } from './closest.ts'
import { callPlaces } from './expected-call.ts'
import type { TapeSourceOptions } from './tape-source-contract.ts'

/** An answer has its record; the record of an effect is searched for when it is needed. */
export type LastMatch = { readonly key: string } & ({ readonly seq: number } | { readonly effect: number })

type Asked = { readonly boundary: string; readonly key: string; readonly body: Uint8Array | null }

/** For an effect: what was recorded as a gap is reported as one. */
export function missOfEffect(
  tape: Pick<TapeSourceOptions, 'path' | 'index' | 'cursor'>,
  lastMatch: LastMatch | null,
  asked: Asked,
): Divergence {
  const gap = tape.index.gaps.find((known) => isGapOf(known, asked.boundary, asked.key))
  return gap === undefined ? missOnTape(tape, lastMatch, asked) : unrecorded(gap)
}

export function missOnTape(
  { path, index, cursor }: Pick<TapeSourceOptions, 'path' | 'index' | 'cursor'>,
  lastMatch: LastMatch | null,
  { boundary, key, body }: Asked,
): Divergence {
  const following = cursor.peekDelivery()
  const left = new Set(cursor.answersLeft().map(({ seq }) => seq))
  const made = {
    end: following?.seq ?? null,
    isTaken: index.isTaken,
    isLeft: (seq: number) => left.has(seq),
  }
  const lastEffect = lastMatch !== null && 'effect' in lastMatch ? lastMatch.effect : null
  const { expected: call, start: lastStart } = callPlaces(path, made, lastEffect)
  const lastSeq = lastMatch !== null && 'seq' in lastMatch ? lastMatch.seq : lastStart
  return unmatched({
    seq: call?.seq ?? following?.seq ?? null,
    expected: call?.key ?? (following === null ? null : summaryOf(following)),
    actual: key,
    lastMatch: lastMatch === null || lastSeq === null ? null : { seq: lastSeq, key: lastMatch.key },
    closest: findClosest(path, boundary, key, body, index.isTaken),
  })
}

/**
 * The gap of a worker thread has a boundary of its own; version 0.1 has no call in its reason. Tapes from
 * before servers were recorded have one reason for all.
 */
function isGapOf({ boundary, reason }: TapeIndex['gaps'][number], started: string, key: string): boolean {
  if (boundary === 'worker') return key.startsWith('new Worker') && reason.includes('a worker thread')
  if (reason === 'a server that listens') return key.startsWith('listen ')
  // Before HTTP/2 was recorded, its gap was named after the address.
  if (key.startsWith('http2 ')) return reason.startsWith('http2: ')
  return boundary === started && reason.startsWith(key)
}
