/** The rows of a filter, and where the selected one is among them. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Row, RowFilter, ViewerProblem } from '../../../protocol.ts'
import { problemFrom } from '../../data/problem.ts'
import { source } from '../../data/source.ts'
import { createWindowPages } from '../../data/window-pages.ts'

export type RowsView = {
  readonly total: number | null
  readonly capped: boolean
  readonly problem: ViewerProblem | null
  row(position: number): Row | null
  want(first: number, last: number): void
}

export function useRows(item: string, filter: RowFilter, version: number): RowsView {
  const key = JSON.stringify(filter)
  const [, setArrived] = useState(0)
  const [problem, setProblem] = useState<ViewerProblem | null>(null)
  const pages = useMemo(() => {
    setProblem(null)
    return createWindowPages<Row>({
      fetch: (from, count) => source().rows(item, { filter, from, count }),
      changed: () => setArrived((count) => count + 1),
      failed: (error) => setProblem(problemFrom(error)),
    })
  }, [item, key])
  useEffect(() => {
    pages.want(0, 0)
    return () => pages.close()
  }, [pages])
  const grown = useRef(version)
  useEffect(() => {
    if (grown.current === version) return
    grown.current = version
    pages.grow()
  }, [pages, version])
  const want = useCallback((first: number, last: number) => pages.want(first, last), [pages])
  return { total: pages.total(), capped: pages.capped(), problem, row: pages.row, want }
}

/** The position of a row within a filter, or null while it is unknown or the row does not match. */
export function usePosition(
  item: string,
  filter: RowFilter,
  row: number | null,
  version: number,
): number | null {
  const [position, setPosition] = useState<number | null>(null)
  const key = JSON.stringify(filter)
  useEffect(() => {
    if (row === null) return setPosition(null)
    if (key === '{}') return setPosition(row)
    let current = true
    source()
      .position(item, { filter, row })
      .then(
        (answer) => current && setPosition(answer.matches ? answer.position : null),
        // The list itself reports why it has no rows.
        () => current && setPosition(null),
      )
    return () => {
      current = false
    }
  }, [item, key, row, key === '{}' ? 0 : version])
  return position
}
