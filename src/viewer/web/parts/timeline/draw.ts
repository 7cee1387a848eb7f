/**
 * Draws lanes and minimap on a canvas. A frame costs a few thousand rectangles at most, whatever the tape
 * holds.
 */
import { type Buckets, LANES, type Lane, type Span, type TimelineAxis } from '../../../protocol.ts'
import { type Range, ticks, toPixels } from './scale.ts'

export const LANE_PIXELS = 26
export const AXIS_PIXELS = 22

export type Palette = Readonly<Record<Lane, string>> & {
  readonly line: string
  readonly text: string
}

export type LanesPicture = {
  readonly width: number
  readonly lanes: readonly Lane[]
  readonly axis: TimelineAxis
  readonly range: Range
  readonly buckets: Buckets | null
  readonly spans: readonly Span[]
  readonly palette: Palette
  readonly font: string
  /** Lanes that the filter hides are drawn pale. */
  readonly dimmed: ReadonlySet<Lane>
}

export function drawLanes(context: CanvasRenderingContext2D, picture: LanesPicture): void {
  const { width, lanes, palette } = picture
  const height = AXIS_PIXELS + lanes.length * LANE_PIXELS
  context.clearRect(0, 0, width, height)
  drawAxis(context, picture, height)
  lanes.forEach((lane, index) => {
    const top = AXIS_PIXELS + index * LANE_PIXELS
    context.globalAlpha = 1
    context.fillStyle = palette.line
    context.fillRect(0, top + LANE_PIXELS - 1, width, 1)
    context.globalAlpha = picture.dimmed.has(lane) ? 0.25 : 1
    drawBuckets(context, picture, lane, top)
    drawSpans(context, picture, lane, top)
  })
  context.globalAlpha = 1
}

function drawAxis(
  context: CanvasRenderingContext2D,
  { width, axis, range, palette, font }: LanesPicture,
  height: number,
): void {
  context.font = font
  context.textBaseline = 'middle'
  for (const tick of ticks(axis, range, width)) {
    const x = Math.round(toPixels(range, width, tick.at))
    context.fillStyle = palette.line
    context.fillRect(x, AXIS_PIXELS - 6, 1, height)
    context.fillStyle = palette.text
    context.fillText(tick.label, x + 5, AXIS_PIXELS / 2)
  }
}

function drawBuckets(
  context: CanvasRenderingContext2D,
  { width, range, buckets, palette }: LanesPicture,
  lane: Lane,
  top: number,
): void {
  const counts = buckets?.lanes[LANES.indexOf(lane)]
  if (buckets === null || counts === undefined || counts.length === 0) return
  const size = (buckets.to - buckets.from) / counts.length
  const first = Math.max(0, Math.floor((range.from - buckets.from) / size))
  const last = Math.min(counts.length - 1, Math.ceil((range.to - buckets.from) / size))
  let most = 1
  for (let n = first; n <= last; n += 1) most = Math.max(most, counts[n] ?? 0)
  const pixels = (size / (range.to - range.from)) * width
  const barWidth = Math.max(1, Math.min(pixels - 0.5, 6))
  const room = LANE_PIXELS - 8
  context.fillStyle = palette[lane]
  for (let n = first; n <= last; n += 1) {
    const count = counts[n] ?? 0
    if (count === 0) continue
    const x = toPixels(range, width, buckets.from + n * size)
    const bar = Math.max(3, (Math.log1p(count) / Math.log1p(most)) * room)
    context.fillRect(x, top + LANE_PIXELS - 4 - bar, barWidth, bar)
  }
}

/** Spans that are wide enough to see, as bars with a pale body, over the counts of their lane. */
function drawSpans(
  context: CanvasRenderingContext2D,
  { width, range, spans, axis, palette }: LanesPicture,
  lane: Lane,
  top: number,
): void {
  if (axis === 'record') return
  const alpha = context.globalAlpha
  for (const { x, end, error } of barsOf(spans, lane, range, width)) {
    const colour = error ? palette.findings : palette[lane]
    context.fillStyle = colour
    context.strokeStyle = colour
    context.lineWidth = 1
    context.beginPath()
    context.roundRect(x + 0.5, top + 4.5, end - x - 1, LANE_PIXELS - 9, 3)
    context.globalAlpha = alpha * 0.22
    context.fill()
    context.globalAlpha = alpha
    context.stroke()
  }
}

type Bar = { readonly x: number; readonly end: number; readonly error: boolean }

/**
 * Several records of one effect begin together and would be drawn over each other: the longest one represents
 * them.
 */
function barsOf(spans: readonly Span[], lane: Lane, range: Range, width: number): Iterable<Bar> {
  const bars = new Map<number, Bar>()
  for (const span of spans) {
    if (span.lane !== lane || span.toMs < range.from || span.fromMs > range.to) continue
    const x = Math.max(-2, toPixels(range, width, span.fromMs))
    const end = Math.min(width + 2, toPixels(range, width, span.toMs))
    if (end - x < 4) continue
    const start = Math.round(toPixels(range, width, span.fromMs))
    const known = bars.get(start)
    const error = span.tone === 'error' || known?.error === true
    bars.set(start, known !== undefined && known.end > end ? { ...known, error } : { x, end, error })
  }
  return bars.values()
}

export type MinimapPicture = {
  readonly width: number
  readonly height: number
  readonly whole: Buckets | null
  readonly lanes: readonly Lane[]
  readonly palette: Palette
}

export function drawMinimap(
  context: CanvasRenderingContext2D,
  { width, height, whole, lanes, palette }: MinimapPicture,
): void {
  context.clearRect(0, 0, width, height)
  if (whole === null || lanes.length === 0) return
  const row = height / lanes.length
  lanes.forEach((lane, index) => {
    const counts = whole.lanes[LANES.indexOf(lane)] ?? []
    const step = width / Math.max(1, counts.length)
    const most = counts.reduce((larger, count) => Math.max(larger, count), 1)
    context.fillStyle = palette[lane]
    counts.forEach((count, n) => {
      if (count === 0) return
      context.globalAlpha = 0.35 + 0.65 * (Math.log1p(count) / Math.log1p(most))
      context.fillRect(n * step, index * row, Math.max(1, step), Math.max(1, row - 0.5))
    })
  })
  context.globalAlpha = 1
}
