/**
 * The visible range of the timeline: mapping to pixels, zooming, panning, and where the axis has ticks. Pure.
 */
import type { TimelineAxis } from '../../../protocol.ts'
import { formatCount } from '../../data/format.ts'

export type Range = { readonly from: number; readonly to: number }
export type Tick = { readonly at: number; readonly label: string }

/** The smallest visible range: a tenth of a millisecond, or four records. */
const SMALLEST: Readonly<Record<TimelineAxis, number>> = { time: 0.1, record: 4 }

export function toPixels(range: Range, width: number, at: number): number {
  return ((at - range.from) / (range.to - range.from)) * width
}

export function fromPixels(range: Range, width: number, pixels: number): number {
  return range.from + (pixels / width) * (range.to - range.from)
}

/** Makes the range `factor` times as long, with `anchor` staying where it is on the screen. */
export function zoomAt(
  axis: TimelineAxis,
  extent: Range,
  range: Range,
  factor: number,
  anchor: number,
): Range {
  const size = range.to - range.from
  const next = Math.min(extent.to - extent.from, Math.max(SMALLEST[axis], size * factor))
  const from = anchor - ((anchor - range.from) / size) * next
  return within(extent, { from, to: from + next })
}

export function panBy(extent: Range, range: Range, delta: number): Range {
  return within(extent, { from: range.from + delta, to: range.to + delta })
}

/** Moves a range that is not larger than `extent` into it. */
export function within(extent: Range, range: Range): Range {
  const size = Math.min(range.to - range.from, extent.to - extent.from)
  const from = Math.min(Math.max(range.from, extent.from), extent.to - size)
  return { from, to: from + size }
}

/**
 * The range moved, without a change of its size, so that `at` is in its inner part; the same object if it is
 * there already.
 */
export function revealing(extent: Range, range: Range, at: number): Range {
  const size = range.to - range.from
  if (at >= range.from + size * 0.02 && at <= range.to - size * 0.02) return range
  const next = within(extent, { from: at - size / 2, to: at + size / 2 })
  return next.from === range.from ? range : next
}

export function ticks(axis: TimelineAxis, range: Range, width: number, pixelsPerTick = 96): Tick[] {
  const step = tickStep(axis, ((range.to - range.from) / width) * pixelsPerTick)
  const found: Tick[] = []
  for (let n = Math.ceil(range.from / step); n * step <= range.to; n += 1)
    found.push({ at: n * step, label: label(axis, n * step, step) })
  return found
}

const CLOCK_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
].map((seconds) => seconds * 1000)

function tickStep(axis: TimelineAxis, least: number): number {
  const clock = axis === 'time' && least > 500 ? CLOCK_STEPS.find((step) => step >= least) : undefined
  if (clock !== undefined) return clock
  const power = 10 ** Math.floor(Math.log10(least))
  const step =
    [1, 2, 5, 10].map((digit) => digit * power).find((candidate) => candidate >= least * 0.999) ?? power * 10
  return axis === 'record' ? Math.max(1, step) : step
}

function label(axis: TimelineAxis, at: number, step: number): string {
  if (axis === 'record') return `#${formatCount(at)}`
  if (at === 0) return '0'
  if (step < 1) return `${at.toFixed(step < 0.1 ? 2 : 1)} ms`
  if (step < 1000 && at < 1000) return `${Math.round(at)} ms`
  const seconds = at / 1000
  const digits = step >= 1000 ? 0 : Math.ceil(-Math.log10(step / 1000) - 1e-9)
  if (seconds < 60) return `${seconds.toFixed(digits)} s`
  const rest = (seconds % 60).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0')
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`
}
