/**
 * Where two lists of lines differ: Myers' greedy algorithm after common ends are cut off. Past a number of
 * differences that would cost too much, what is left in the middle counts as replaced as a whole: longer than
 * need be, never wrong.
 */
export type Change = {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

const MAX_DIFFERENCES = 2000

export function lineChanges(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let oldEnd = before.length
  let newEnd = after.length
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd -= 1
    newEnd -= 1
  }
  if (start === oldEnd && start === newEnd) return []
  const [a, b] = numbered(before.slice(start, oldEnd), after.slice(start, newEnd))
  const found = myers(a, b) ?? [{ oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }]
  return found.map((change) => ({
    oldStart: change.oldStart + start,
    oldEnd: change.oldEnd + start,
    newStart: change.newStart + start,
    newEnd: change.newEnd + start,
  }))
}

/** Numbers are compared faster than lines. */
function numbered(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>()
  const number = (line: string): number => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(before, number), Int32Array.from(after, number)]
}

function myers(a: Int32Array, b: Int32Array): Change[] | null {
  const limit = Math.min(a.length + b.length, MAX_DIFFERENCES)
  const furthest = new Int32Array(2 * limit + 3)
  const middle = limit + 1
  const trace: Int32Array[] = []
  for (let d = 0; d <= limit; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      const below = at(furthest, middle + k + 1)
      const right = at(furthest, middle + k - 1) + 1
      let x = k === -d || (k !== d && right <= below) ? below : right
      let y = x - k
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1
        y += 1
      }
      furthest[middle + k] = x
      if (x >= a.length && y >= b.length) return walkBack(trace, a.length, b.length)
    }
    trace.push(furthest.slice(middle - d - 1, middle + d + 2))
  }
  return null
}

/** `trace[d]` holds the furthest x of every diagonal from -d-1 to d+1 after d differences. */
function walkBack(trace: readonly Int32Array[], oldLength: number, newLength: number): Change[] {
  const changes: Change[] = []
  let x = oldLength
  let y = newLength
  for (let d = trace.length; d > 0; d -= 1) {
    const before = trace[d - 1] ?? new Int32Array(1)
    const k = x - y
    const below = at(before, k + 1 + d)
    const right = at(before, k - 1 + d) + 1
    const inserts = k === -d || (k !== d && right <= below)
    const reached = inserts ? below : right
    const [oldStart, newStart] = inserts ? [reached, reached - k - 1] : [reached - 1, reached - k]
    changes.push({ oldStart, oldEnd: reached, newStart, newEnd: reached - k })
    x = oldStart
    y = newStart
  }
  return joined(changes.reverse())
}

function joined(changes: readonly Change[]): Change[] {
  const out: Change[] = []
  for (const change of changes) {
    const last = out.at(-1)
    if (last !== undefined && last.oldEnd === change.oldStart && last.newEnd === change.newStart) {
      out[out.length - 1] = { ...last, oldEnd: change.oldEnd, newEnd: change.newEnd }
    } else out.push(change)
  }
  return out
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0
}
