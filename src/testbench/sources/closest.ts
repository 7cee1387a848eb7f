/**
 * The recorded effect most like one that the tape does not have: the same method and address first, then the
 * same method and host. For a request with a body it also reports where the body differs first. Reads the tape once
 * more, which only a divergence pays for.
 */
import { type Json, parseJson, textOrNull } from '../../base/index.ts'
import type { Closest } from '../../fidelity/sentences.ts'
import { readTapeEvents, requestBytes, type TapeRecord } from '../../tape/index.ts'
import { type Difference, firstDifference, firstJsonDifference } from '../difference/first-difference.ts'
import { withoutNames } from '../mcp/call-ids.ts'
import { isAnsweredAtOnce } from '../records/delivered-kinds.ts'

type Candidate = { readonly id: number; readonly seq: number; readonly key: string; readonly rank: number }

/** Among equals one that has not been taken goes first: that is the one that the program could have meant. */
export function findClosest(
  path: string,
  boundary: string,
  key: string,
  body: Uint8Array | null,
  isTaken: (effect: number) => boolean = () => false,
): Closest | null {
  const best = bestCandidate(path, boundary, key, isTaken)
  if (best === null) return null
  return {
    seq: best.seq,
    key: best.key,
    difference: body === null ? null : differenceFrom(path, best.id, body),
  }
}

function bestCandidate(
  path: string,
  boundary: string,
  key: string,
  isTaken: (effect: number) => boolean,
): Candidate | null {
  let best: Candidate | null = null
  for (const event of readTapeEvents(path)) {
    const asked = event.type === 'record' ? callOf(event.record, boundary) : null
    if (event.type !== 'record' || asked === null) continue
    const { id, key: recorded } = asked
    const like = likeness(key, recorded)
    const rank = like === 0 ? 0 : like * 2 + (isTaken(id) ? 0 : 1)
    if (rank > 0 && (best === null || rank > best.rank))
      best = { id, seq: event.record.seq, key: recorded, rank }
  }
  return best
}

/**
 * What the program requested with this record: an effect of the boundary, or a call that was answered at
 * once.
 */
function callOf(record: TapeRecord, boundary: string): { readonly id: number; readonly key: string } | null {
  if (isAnsweredAtOnce(record)) return { id: 0, key: record.kind.key }
  return record.kind.kind === 'effect_start' && record.kind.boundary === boundary ? record.kind : null
}

/** How many leading words and path parts two keys share, the body's digest not counted. */
function likeness(a: string, b: string): number {
  const parts = (key: string): string[] => key.replace(/ #[0-9a-f]{24}$/, '').split(/[\s/?&]+/)
  const [left, right] = [parts(a), parts(b)]
  let same = 0
  while (same < left.length && same < right.length && left[same] === right[same]) same += 1
  return same * 2 + (left.length === right.length ? 1 : 0)
}

function differenceFrom(path: string, id: number, body: Uint8Array): Difference | null {
  const sent = requestBytes(path, id)
  if (sent === null) return null
  const [expected, actual] = [asJson(sent), asJson(body)]
  return expected === undefined || actual === undefined
    ? firstDifference(sent, body)
    : firstJsonDifference(expected, actual)
}

function asJson(bytes: Uint8Array): Json | undefined {
  try {
    return withoutNames(parseJson(textOrNull(bytes) ?? ''))
  } catch {
    // Not JSON: it has no fields.
    return undefined
  }
}
