/**
 * Buckets and spans of the visible range. While the range changes, what is there is drawn stretched; the
 * exact answer follows when the range rests. Holds two ranges at most: the whole tape, and the neighbourhood
 * of what is visible.
 */
import type { Buckets, Span, Spans, TimelineAxis } from '../../../protocol.ts'
import { source } from '../../data/source.ts'
import type { Range } from './scale.ts'

const WHOLE_BUCKETS = 1000
const REST_MS = 40
const MOST_SPANS = 600

export type TimelineData = {
  /** The finest buckets that cover the range, or null before the first answer. */
  buckets(range: Range): Buckets | null
  whole(): Buckets | null
  spans(): readonly Span[]
  /** Asks for what this range needs. */
  show(range: Range, pixels: number): void
  /** Asks for everything again: the tape has grown. */
  refresh(extent: Range): void
  close(): void
}

export type TimelineDataOptions = {
  readonly item: string
  readonly axis: TimelineAxis
  readonly extent: Range
  readonly changed: () => void
  readonly failed: (error: unknown) => void
}

export function createTimelineData({
  item,
  axis,
  extent: firstExtent,
  changed,
  failed,
}: TimelineDataOptions): TimelineData {
  let extent = firstExtent
  let whole: Buckets | null = null
  let fine: Buckets | null = null
  let spans: Spans | null = null
  let shown: { range: Range; pixels: number } | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let busy = false
  let again = false
  let closed = false

  const deliver = (work: Promise<void>): Promise<void> =>
    work.then(
      () => {
        if (!closed) changed()
      },
      (error: unknown) => {
        if (!closed) failed(error)
      },
    )
  const fetchWhole = async (): Promise<void> => {
    whole = await source().buckets(item, { axis, ...extent, count: WHOLE_BUCKETS })
  }
  const fetchShown = async (): Promise<void> => {
    if (shown === null) return
    const { range, pixels } = shown
    const size = range.to - range.from
    const around = {
      from: Math.max(extent.from, range.from - size / 2),
      to: Math.min(extent.to, range.to + size / 2),
    }
    const count = Math.max(50, Math.min(2000, Math.round(((around.to - around.from) / size) * (pixels / 3))))
    const [nextFine, nextSpans] = await Promise.all([
      source().buckets(item, { axis, ...around, count }),
      source().spans(item, { axis, ...around, limit: MOST_SPANS }),
    ])
    fine = nextFine
    spans = nextSpans
  }
  const fetchSoon = (): void => {
    if (closed || timer !== null) return
    timer = setTimeout(() => {
      timer = null
      if (busy) {
        again = true
        return
      }
      busy = true
      void deliver(fetchShown()).then(() => {
        busy = false
        if (again) {
          again = false
          fetchSoon()
        }
      })
    }, REST_MS)
  }
  void deliver(fetchWhole())

  return {
    buckets: (range) => (fine !== null && fine.from <= range.from && fine.to >= range.to ? fine : whole),
    whole: () => whole,
    spans: () => spans?.spans ?? [],
    show(range, pixels) {
      const same =
        shown !== null &&
        shown.range.from === range.from &&
        shown.range.to === range.to &&
        shown.pixels === pixels
      if (same) return
      shown = { range, pixels }
      fetchSoon()
    },
    refresh(next) {
      extent = next
      void deliver(fetchWhole())
      fetchSoon()
    },
    close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
