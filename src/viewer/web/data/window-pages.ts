/**
 * Rows of a long list, fetched in pages as they come into view and forgotten when they are long out of it.
 * Memory does not grow with the tape.
 *
 * At most two requests are under way; while the reader scrolls on, only the newest wish is kept.
 */
const PAGE_ROWS = 200
const MOST_PAGES = 40
const MOST_REQUESTS = 2

export type WindowPages<R> = {
  /** Rows in all, or null before the first answer. */
  total(): number | null
  capped(): boolean
  /** The row at a position, or null if it is not here yet. */
  row(position: number): R | null
  /** Asks for the rows of a range; `changed` is called as they arrive. */
  want(first: number, last: number): void
  /** The tape has grown: asks again for the last page, whose answer has the new total. */
  grow(): void
  close(): void
}

export type WindowPagesOptions<R> = {
  readonly fetch: (
    from: number,
    count: number,
  ) => Promise<{ readonly total: number; readonly capped: boolean; readonly rows: readonly R[] }>
  readonly changed: () => void
  readonly failed: (error: unknown) => void
}

export function createWindowPages<R>({ fetch, changed, failed }: WindowPagesOptions<R>): WindowPages<R> {
  const pages = new Map<number, readonly R[]>()
  const underWay = new Set<number>()
  let total: number | null = null
  let capped = false
  let wanted: readonly [number, number] = [0, 0]
  let closed = false
  let generation = 0

  const next = (): void => {
    if (closed) return
    const [first, last] = wanted
    for (let page = first; page <= last; page += 1) {
      if (underWay.size >= MOST_REQUESTS) return
      if (
        !pages.has(page) &&
        !underWay.has(page) &&
        (total === null || page * PAGE_ROWS < Math.max(1, total))
      )
        load(page)
    }
  }
  const load = (page: number): void => {
    const started = generation
    underWay.add(page)
    fetch(page * PAGE_ROWS, PAGE_ROWS)
      .then((window) => {
        if (closed || started !== generation) return
        total = window.total
        capped = window.capped
        keep(page, window.rows)
        changed()
      })
      .catch((error: unknown) => {
        if (!closed) failed(error)
      })
      .finally(() => {
        underWay.delete(page)
        next()
      })
  }
  const keep = (page: number, rows: readonly R[]): void => {
    pages.set(page, rows)
    for (const old of pages.keys()) {
      if (pages.size <= MOST_PAGES) return
      if (old < wanted[0] || old > wanted[1]) pages.delete(old)
    }
  }

  return {
    total: () => total,
    capped: () => capped,
    row(position) {
      return pages.get(Math.floor(position / PAGE_ROWS))?.[position % PAGE_ROWS] ?? null
    },
    want(first, last) {
      wanted = [Math.floor(Math.max(0, first) / PAGE_ROWS), Math.floor(Math.max(0, last) / PAGE_ROWS)]
      next()
    },
    grow() {
      const last = Math.floor(Math.max(0, (total ?? 0) - 1) / PAGE_ROWS)
      generation += 1
      pages.delete(last)
      load(last)
    },
    close() {
      closed = true
      pages.clear()
    },
  }
}
