/** The difference of two texts, line by line, with the changed words marked. Long equal parts are folded. */
import { diffLines, diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'preact/hooks'
import { plural } from '../data/format.ts'
import { Lazy } from './lazy.tsx'

const CONTEXT_LINES = 3
const MOST_CHARACTERS = 200_000

export type DiffLine = {
  readonly state: 'same' | 'removed' | 'added'
  readonly text: string
  readonly before: number | null
  readonly after: number | null
}

export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <p class="faint">No difference.</p>
  if (before.length + after.length > MOST_CHARACTERS)
    return (
      <Lazy
        load={() => import('./editor.tsx')}
        what="the editor"
        draw={({ LargeDiff }) => <LargeDiff before={before} after={after} />}
      />
    )
  return <SmallDiff before={before} after={after} />
}

function SmallDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const hunks = useMemo(() => fold(diffedLines(before, after)), [before, after])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  return (
    <table class="diff">
      <tbody>
        {hunks.map((hunk, index) =>
          hunk.folded && !opened.has(index) ? (
            <tr key={index} class="diff-fold">
              <td colSpan={3}>
                <button type="button" class="quiet" onClick={() => setOpened(new Set(opened).add(index))}>
                  {plural(hunk.lines.length, 'unchanged line')}
                </button>
              </td>
            </tr>
          ) : (
            hunk.lines.map((line, n) => (
              <Line key={`${index}.${n}`} line={line} partner={partnerOf(hunk.lines, n)} />
            ))
          ),
        )}
      </tbody>
    </table>
  )
}

function Line({ line, partner }: { readonly line: DiffLine; readonly partner: DiffLine | null }) {
  const sign = { same: ' ', removed: '−', added: '+' }[line.state]
  return (
    <tr class={`diff-${line.state}`}>
      <td class="diff-number">{line.before ?? ''}</td>
      <td class="diff-number">{line.after ?? ''}</td>
      <td class="diff-text">
        <span class="diff-sign">{sign}</span>
        {partner === null ? line.text : <Words line={line} partner={partner} />}
      </td>
    </tr>
  )
}

function Words({ line, partner }: { readonly line: DiffLine; readonly partner: DiffLine }) {
  const removed = line.state === 'removed'
  const changes = removed
    ? diffWordsWithSpace(line.text, partner.text)
    : diffWordsWithSpace(partner.text, line.text)
  return (
    <>
      {changes
        .filter((change) => (removed ? !change.added : !change.removed))
        .map((change, n) =>
          change.added || change.removed ? <mark key={n}>{change.value}</mark> : change.value,
        )}
    </>
  )
}

export function diffedLines(before: string, after: string): DiffLine[] {
  const found: DiffLine[] = []
  let left = 1
  let right = 1
  for (const change of diffLines(before, after)) {
    for (const text of change.value.replace(/\n$/, '').split('\n')) {
      if (change.added) found.push({ state: 'added', text, before: null, after: right++ })
      else if (change.removed) found.push({ state: 'removed', text, before: left++, after: null })
      else found.push({ state: 'same', text, before: left++, after: right++ })
    }
  }
  return found
}

type Hunk = { readonly folded: boolean; readonly lines: readonly DiffLine[] }

export function fold(lines: readonly DiffLine[]): Hunk[] {
  const near = lines.map(() => false)
  lines.forEach((line, n) => {
    if (line.state !== 'same') near.fill(true, Math.max(0, n - CONTEXT_LINES), n + CONTEXT_LINES + 1)
  })
  const hunks: { folded: boolean; lines: DiffLine[] }[] = []
  lines.forEach((line, n) => {
    const folded = near[n] !== true
    const last = hunks.at(-1)
    if (last !== undefined && last.folded === folded) last.lines.push(line)
    else hunks.push({ folded, lines: [line] })
  })
  return hunks
}

/** The line that a changed one replaces: the n-th removed line of a change belongs to its n-th added line. */
function partnerOf(lines: readonly DiffLine[], at: number): DiffLine | null {
  const line = lines[at]
  if (line === undefined || line.state === 'same' || line.text.length > 2000) return null
  let start = at
  while (start > 0 && lines[start - 1]?.state !== 'same') start -= 1
  let end = at
  while (end < lines.length && lines[end]?.state !== 'same') end += 1
  const change = lines.slice(start, end)
  const removed = change.filter(({ state }) => state === 'removed')
  const added = change.filter(({ state }) => state === 'added')
  if (removed.length !== added.length) return null
  return line.state === 'removed'
    ? (added[removed.indexOf(line)] ?? null)
    : (removed[added.indexOf(line)] ?? null)
}
