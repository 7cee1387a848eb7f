/** The whole run in one strip. A click opens the timeline at that moment. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { TapeOverview } from '../../../protocol.ts'
import { formatDuration } from '../../data/format.ts'
import { LANE_NAMES, shownLanes } from '../../data/lanes.ts'
import { source } from '../../data/source.ts'
import { goTo, timelineAt } from '../../model/location.ts'
import { useResource } from '../../model/resource.ts'
import { themeVersion } from '../../model/theme.ts'
import { versionOf } from '../../model/viewer.ts'
import { usePixelWidth } from '../../parts/pixel-width.ts'
import { drawMinimap } from '../../parts/timeline/draw.ts'
import { readPalette } from '../../parts/timeline/palette.ts'

const LANE_HEIGHT = 11

export function RunStrip({ item, overview }: { readonly item: string; readonly overview: TapeOverview }) {
  const area = useRef<HTMLButtonElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = usePixelWidth(area)
  const lanes = useMemo(
    () =>
      shownLanes(overview.lanes).filter((lane) =>
        overview.lanes.some((entry) => entry.lane === lane && entry.count > 0),
      ),
    [overview],
  )
  const height = lanes.length * LANE_HEIGHT
  const axis = overview.durationMs > 0 ? 'time' : 'record'
  const to = axis === 'time' ? overview.durationMs * 1.005 : Math.max(1, overview.rows)
  const buckets = useResource(
    () => source().buckets(item, { axis, from: 0, to, count: 500 }),
    [item, axis, to, versionOf(item)],
    { keepOld: true },
  )
  const palette = useMemo(readPalette, [themeVersion.value])
  const whole = buckets.state === 'ready' ? buckets.value : null
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || canvas.current === null || width === 0) return
    canvas.current.width = width
    canvas.current.height = height
    drawMinimap(context, { width, height, whole, lanes, palette })
  }, [whole, width, height, palette, lanes])
  const open = (event: MouseEvent): void => {
    const box = area.current?.getBoundingClientRect()
    const share = box === undefined || event.detail === 0 ? 0 : (event.clientX - box.left) / box.width
    const row = whole?.firstRows[Math.floor(share * (whole.firstRows.length - 1))] ?? null
    goTo(timelineAt(item, row))
  }
  return (
    <section class="strip" aria-label="Run">
      <ul class="strip-labels" aria-hidden="true">
        {lanes.map((lane) => (
          <li key={lane} data-lane={lane}>
            {LANE_NAMES[lane]}
          </li>
        ))}
      </ul>
      <button ref={area} type="button" class="strip-area" aria-label="Open the timeline" onClick={open}>
        <canvas ref={canvas} />
      </button>
      <p class="strip-ends faint" aria-hidden="true">
        <span>0</span>
        <span>{axis === 'time' ? formatDuration(overview.durationMs) : `#${overview.rows}`}</span>
      </p>
    </section>
  )
}
