/**
 * Whether two records have the same line, without encoding either. False only means that the lines must be
 * compared: values that are rare on a tape are not looked into.
 */
import type { RecordKind } from './kinds.ts'
import type { TapeRecord } from './record.ts'

/** Deeper values are left to a comparison of lines. */
const MAX_DEPTH = 32

export function isSameRecord(a: TapeRecord, b: TapeRecord): boolean {
  return (
    a.seq === b.seq &&
    a.phase === b.phase &&
    a.virtualTimeMs === b.virtualTimeMs &&
    a.monotonicMs === b.monotonicMs &&
    a.scrubbed === b.scrubbed &&
    isSameKind(a.kind, b.kind)
  )
}

type Members = { readonly [name: string]: unknown }

/** The table of the kind decides the order in which its members are written. */
function isSameKind(a: RecordKind, b: RecordKind): boolean {
  if (a === b) return true
  const [left, right]: readonly Members[] = [a, b]
  if (left === undefined || right === undefined) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? ''
    // A member that is undefined is not written, and the other record may have another one in its place.
    if (left[name] === undefined || !isSameValue(left[name], right[name], 0)) return false
  }
  return true
}

/**
 * JSON: the order of its members counts. One function that calls itself: V8 would inline two that call each other
 * into each other, several levels deep, and compiling that takes longer than all comparisons of a short replay.
 */
function isSameValue(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (depth === MAX_DEPTH || a instanceof Uint8Array) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let at = 0; at < a.length; at += 1) if (!isSameValue(a[at], b[at], depth + 1)) return false
    return true
  }
  if (Array.isArray(b)) return false
  const [names, others] = [Object.keys(a), Object.keys(b)]
  if (names.length !== others.length) return false
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? ''
    if (name !== others[at] || !isSameValue((a as Members)[name], (b as Members)[name], depth + 1))
      return false
  }
  return true
}
