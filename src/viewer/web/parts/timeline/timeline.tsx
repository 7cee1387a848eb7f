/**
 * The timeline: one lane per kind of input, an axis, the selected moment, and a minimap of the whole run
 * below it.
 */
import type { Signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Lane, TimelineAxis } from '../../../protocol.ts'
import { formatCount, formatMoment } from '../../data/format.ts'
import { LANE_NAMES } from '../../data/lanes.ts'
import { themeVersion } from '../../model/theme.ts'
import { usePixelWidth } from '../pixel-width.ts'
import { AXIS_PIXELS, drawLanes, LANE_PIXELS } from './draw.ts'
import { listenForGestures } from './gestures.ts'
import { Minimap } from './minimap.tsx'
import { readPalette } from './palette.ts'
import { type Range, toPixels } from './scale.ts'
import { createTimelineData, type TimelineData } from './timeline-data.ts'

export type TimelineProps = {
  readonly item: string
  readonly axis: TimelineAxis
  readonly extent: Range
  readonly range: Signal<Range>
  readonly lanes: readonly Lane[]
  readonly counts: ReadonlyMap<Lane, number>
  readonly shownLanes: readonly Lane[]
  readonly selectedAt: number | null
  /** Changes when the tape has grown. */
  readonly version: number
  readonly onPick: (row: number) => void
  readonly onToggleLane: (lane: Lane) => void
  readonly onProblem: (error: unknown) => void
}

export function Timeline(props: TimelineProps) {
  const { item, axis, extent, range, lanes, counts, shownLanes, selectedAt, version } = props
  const area = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  latest.current = props
  const width = usePixelWidth(area)
  const [hoverAt, setHoverAt] = useState<number | null>(null)
  const [arrived, setArrived] = useState(0)
  const palette = useMemo(readPalette, [themeVersion.value])
  const height = AXIS_PIXELS + lanes.length * LANE_PIXELS

  const data = useMemo(
    () =>
      createTimelineData({
        item,
        axis,
        extent: latest.current.extent,
        changed: () => setArrived((count) => count + 1),
        failed: (error) => latest.current.onProblem(error),
      }),
    [item, axis],
  )
  useEffect(() => () => data.close(), [data])
  useEffect(() => {
    if (version > 0) data.refresh(extent)
  }, [data, version, extent.to])

  useEffect(() => {
    const element = area.current
    if (element === null) return
    return listenForGestures(element, {
      axis,
      extent: () => latest.current.extent,
      range: () => range.peek(),
      width: () => Math.max(1, element.clientWidth),
      setRange: (next) => {
        range.value = next
      },
      pick: (at, y) => {
        const row = rowAt(data, latest.current, at, y, element.clientWidth)
        if (row !== null) latest.current.onPick(row)
      },
      hover: setHoverAt,
    })
  }, [data, axis, range])

  const { from, to } = range.value
  useEffect(() => {
    if (width > 0) data.show({ from, to }, width)
  }, [data, from, to, width])
  useEffect(() => {
    const context = prepare(canvas.current, width, height)
    if (context === null) return
    const frame = requestAnimationFrame(() =>
      drawLanes(context, {
        width,
        lanes,
        axis,
        range: { from, to },
        buckets: data.buckets({ from, to }),
        spans: data.spans(),
        palette,
        font: `11px ${getComputedStyle(document.body).fontFamily}`,
        dimmed: new Set(shownLanes.length === 0 ? [] : lanes.filter((lane) => !shownLanes.includes(lane))),
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [data, from, to, width, height, arrived, palette, lanes, shownLanes, axis])

  const place = (at: number): string => `translateX(${toPixels({ from, to }, width, at)}px)`
  const inView = (at: number | null): at is number => at !== null && at >= from && at <= to
  return (
    <section class="timeline" aria-label="Timeline">
      <ul class="timeline-labels" aria-label="Lanes" style={{ paddingTop: `${AXIS_PIXELS}px` }}>
        {lanes.map((lane) => (
          <li key={lane} style={{ height: `${LANE_PIXELS}px` }}>
            <button
              type="button"
              class="lane-label"
              data-lane={lane}
              aria-pressed={shownLanes.includes(lane)}
              title={`Show only ${LANE_NAMES[lane]}`}
              onClick={() => props.onToggleLane(lane)}
            >
              <span class="dot" />
              <span class="truncate">{LANE_NAMES[lane]}</span>
              <span class="lane-count">{formatCount(counts.get(lane) ?? 0)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div ref={area} class="timeline-area" style={{ height: `${height}px` }} data-testid="timeline">
        <canvas ref={canvas} />
        {inView(selectedAt) ? <div class="timeline-cursor" style={{ transform: place(selectedAt) }} /> : null}
        {inView(hoverAt) ? (
          <div class="timeline-hover" style={{ transform: place(hoverAt) }}>
            <span class="timeline-hover-label">
              {axis === 'time' ? formatMoment(hoverAt) : `#${formatCount(Math.floor(hoverAt))}`}
            </span>
          </div>
        ) : null}
      </div>
      <Minimap
        whole={data.whole()}
        lanes={lanes}
        extent={extent}
        range={range}
        palette={palette}
        selectedAt={selectedAt}
      />
    </section>
  )
}

/** The row that a click means: a span of the lane under the pointer, else the first row of the bucket. */
function rowAt(
  data: TimelineData,
  { axis, lanes, range, extent }: TimelineProps,
  at: number,
  y: number,
  width: number,
): number | null {
  const { from, to } = range.peek()
  const lane = lanes[Math.floor((y - AXIS_PIXELS) / LANE_PIXELS)]
  const reach = ((to - from) / width) * 3
  if (axis === 'time') {
    const hits = data
      .spans()
      .filter((span) => span.lane === lane && span.fromMs - reach <= at && span.toMs + reach >= at)
    const shortest = hits.sort((left, right) => left.toMs - left.fromMs - (right.toMs - right.fromMs))[0]
    if (shortest !== undefined) return shortest.row
  }
  const buckets = data.buckets({ from, to })
  if (buckets === null) return null
  if (axis === 'record') return Math.min(extent.to - 1, Math.max(0, Math.floor(at)))
  const bucket = Math.floor(
    ((at - buckets.from) / (buckets.to - buckets.from)) * (buckets.firstRows.length - 1),
  )
  return buckets.firstRows[Math.max(0, Math.min(buckets.firstRows.length - 2, bucket))] ?? null
}

/**
 * Sizes the canvas for the screen's pixels. Returns its context, or null if there is nothing to draw on yet.
 */
function prepare(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  if (canvas === null || width === 0) return null
  const ratio = Math.min(2, window.devicePixelRatio || 1)
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth
    canvas.height = pixelHeight
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d')
  context?.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}
