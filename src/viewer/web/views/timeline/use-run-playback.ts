/**
 * Plays the run: the selection moves from record to record at the recorded speed, and waits at most a second
 * between two.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowsView } from './use-rows.ts'

const LONGEST_WAIT_MS = 1000
const SHORTEST_WAIT_MS = 40

export type RunPlayback = { readonly playing: boolean; toggle(): void }

export function useRunPlayback(
  item: string,
  {
    position,
    rows,
    onStep,
  }: {
    readonly position: number | null
    readonly rows: RowsView
    readonly onStep: (position: number) => void
  },
): RunPlayback {
  const [playing, setPlaying] = useState(false)
  const latest = useRef({ rows, onStep })
  latest.current = { rows, onStep }
  useEffect(() => setPlaying(false), [item])
  const next = position === null ? 0 : position + 1
  const from = position === null ? null : rows.row(position)
  const to = rows.row(next)
  const waitMs =
    from === null || to === null
      ? SHORTEST_WAIT_MS
      : Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, to.atMs - from.atMs))
  useEffect(() => {
    if (!playing) return
    if (next >= (latest.current.rows.total ?? 0)) return setPlaying(false)
    const timer = setTimeout(() => latest.current.onStep(next), waitMs)
    return () => clearTimeout(timer)
  }, [playing, next, waitMs])
  return { playing, toggle: () => setPlaying((old) => !old) }
}
