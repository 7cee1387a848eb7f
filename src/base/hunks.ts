/**
 * The hunks of a unified diff of two texts, three lines of context around each change. A text is its bytes:
 * only a line feed ends a line.
 */
import { type Change, lineChanges } from './line-diff.ts'

const CONTEXT = 3
const NO_NEWLINE = '\\ No newline at end of file\n'

/** Every reader of unified diffs accepts both forms. What a command prints keeps the form that it has. */
export type HunkForm = {
  /** Changes with at most this many equal lines between them are in one hunk. */
  readonly joinedWithin: number
  /** Whether a range of one line has its count (`7,1`) or not (`7`). */
  readonly countOfOne: 'shown' | 'left out'
}

/** As git and GNU diff print it. */
const GIT_HUNKS: HunkForm = { joinedWithin: 2 * CONTEXT, countOfOne: 'left out' }

export function hunks(before: string, after: string, form: HunkForm = GIT_HUNKS): string {
  const [a, b] = [linesOf(before), linesOf(after)]
  return grouped(lineChanges(a, b), form)
    .map((group) => hunk(a, b, group, form))
    .join('')
}

/**
 * Each line with its line feed; the last one may have none, and then differs from the same line that has one.
 */
export function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

function grouped(changes: readonly Change[], form: HunkForm): Change[][] {
  const groups: Change[][] = []
  for (const change of changes) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group !== undefined && last !== undefined && change.oldStart - last.oldEnd <= form.joinedWithin)
      group.push(change)
    else groups.push([change])
  }
  return groups
}

function hunk(a: readonly string[], b: readonly string[], group: readonly Change[], form: HunkForm): string {
  const [first, last] = [group[0], group.at(-1)]
  if (first === undefined || last === undefined) return ''
  const lead = Math.min(CONTEXT, first.oldStart)
  const trail = Math.min(CONTEXT, a.length - last.oldEnd)
  const oldStart = first.oldStart - lead
  const oldEnd = last.oldEnd + trail
  const newStart = first.newStart - lead
  const newEnd = last.newEnd + trail
  let body = ''
  let at = oldStart
  for (const change of group) {
    for (; at < change.oldStart; at += 1) body += line(' ', a[at])
    for (; at < change.oldEnd; at += 1) body += line('-', a[at])
    for (let added = change.newStart; added < change.newEnd; added += 1) body += line('+', b[added])
  }
  for (; at < oldEnd; at += 1) body += line(' ', a[at])
  return `@@ -${range(oldStart, oldEnd, form)} +${range(newStart, newEnd, form)} @@\n${body}`
}

function line(sign: string, text = ''): string {
  return text.endsWith('\n') ? sign + text : `${sign}${text}\n${NO_NEWLINE}`
}

/** An empty range names the line before it. */
function range(start: number, end: number, form: HunkForm): string {
  const count = end - start
  const first = count === 0 ? start : start + 1
  return count === 1 && form.countOfOne === 'left out' ? `${first}` : `${first},${count}`
}
