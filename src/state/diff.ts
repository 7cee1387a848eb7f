/** The difference of two texts by lines, as a unified diff. Longest common subsequence (Myers), cut where it would cost more than it tells. Pure. */

const CONTEXT_LINES = 3
/** Edits beyond which the two texts are shown as wholly different. */
const MAX_EDITS = 2000

type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string }

export function unifiedDiff(before: string, after: string, nameBefore: string, nameAfter: string): string {
  if (before === after) return ''
  const edits = editScript(splitLines(before), splitLines(after))
  return [`--- ${nameBefore}`, `+++ ${nameAfter}`, ...hunks(edits)].join('\n').concat('\n')
}

/** A last line without its newline is told apart by the mark that diff and git use. */
function splitLines(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

function editScript(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let tail = 0
  while (tail < before.length - start && tail < after.length - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: ' ', line }))
  const middle = myers(before.slice(start, before.length - tail), after.slice(start, after.length - tail))
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - tail))]
}

function myers(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const trail: Map<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= before.length + after.length; edits += 1) {
    if (edits > MAX_EDITS) return [...before.map((line) => ({ sign: '-' as const, line })), ...after.map((line) => ({ sign: '+' as const, line }))]
    const next = new Map(reach)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(reach, diagonal - 1) < at(reach, diagonal + 1))
      let x = down ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1
      next.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return walkBack([...trail, reach], before, after)
    }
    trail.push(reach)
    reach = next
  }
  return []
}

function walkBack(trail: readonly Map<number, number>[], before: readonly string[], after: readonly string[]): readonly Edit[] {
  const edits: Edit[] = []
  let x = before.length
  let y = after.length
  for (let step = trail.length - 1; step >= 0; step -= 1) {
    const reach = trail[step] ?? new Map<number, number>()
    const diagonal = x - y
    const down = diagonal === -step || (diagonal !== step && at(reach, diagonal - 1) < at(reach, diagonal + 1))
    const fromDiagonal = down ? diagonal + 1 : diagonal - 1
    const fromX = at(reach, fromDiagonal)
    const fromY = fromX - fromDiagonal
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      edits.push({ sign: ' ', line: before[x - 1] ?? '' })
      x -= 1
      y -= 1
    }
    if (step === 0) break
    edits.push(down ? { sign: '+', line: after[y - 1] ?? '' } : { sign: '-', line: before[x - 1] ?? '' })
    x = fromX
    y = fromY
  }
  return edits.reverse()
}

function at(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? 0
}

function hunks(edits: readonly Edit[]): readonly string[] {
  const changed = edits.flatMap((edit, index) => (edit.sign === ' ' ? [] : [index]))
  const out: string[] = []
  for (let at = 0; at < changed.length; ) {
    const first = changed[at] ?? 0
    let last = first
    while (at < changed.length && (changed[at] ?? 0) - last <= 2 * CONTEXT_LINES) last = changed[at++] ?? 0
    const from = Math.max(0, first - CONTEXT_LINES)
    const shown = edits.slice(from, last + CONTEXT_LINES + 1)
    const skipped = edits.slice(0, from)
    out.push(`@@ -${span(skipped, shown, '-')} +${span(skipped, shown, '+')} @@`, ...shown.map((edit) => `${edit.sign}${edit.line}`))
  }
  return out
}

function span(skipped: readonly Edit[], shown: readonly Edit[], side: '-' | '+'): string {
  const count = (edits: readonly Edit[]): number => edits.filter((edit) => edit.sign === ' ' || edit.sign === side).length
  const length = count(shown)
  return `${count(skipped) + (length === 0 ? 0 : 1)},${length}`
}
