/** The whole run in a strip, with the visible range as a frame that can be dragged. */
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Buckets, Lane } from '../../../protocol.ts'
import { usePixelWidth } from '../pixel-width.ts'
import { drawMinimap, type Palette } from './draw.ts'
import { fromPixels, type Range, within } from './scale.ts'

const HEIGHT = 28

export type MinimapProps = {
  readonly whole: Buckets | null
  readonly lanes: readonly Lane[]
  readonly extent: Range
  readonly range: Signal<Range>
  readonly palette: Palette
  readonly selectedAt: number | null
}

export function Minimap({ whole, lanes, extent, range, palette, selectedAt }: MinimapProps) {
  const area = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = usePixelWidth(area)
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (element === null || !context || width === 0) return
    element.width = width
    element.height = HEIGHT
    drawMinimap(context, { width, height: HEIGHT, whole, lanes, palette })
  }, [whole, lanes, palette, width])

  const centre = (event: PointerEvent): void => {
    const box = area.current?.getBoundingClientRect()
    if (box === undefined || event.buttons === 0) return
    const at = fromPixels(extent, box.width, event.clientX - box.left)
    const half = (range.peek().to - range.peek().from) / 2
    range.value = within(extent, { from: at - half, to: at + half })
  }
  const onDown = (event: PointerEvent): void => {
    area.current?.setPointerCapture(event.pointerId)
    centre(event)
  }
  const size = Math.max(extent.to - extent.from, Number.MIN_VALUE)
  const share = (at: number): string => `${((at - extent.from) / size) * 100}%`
  const { from, to } = range.value
  return (
    <div ref={area} class="minimap" onPointerDown={onDown} onPointerMove={centre} data-testid="minimap">
      <canvas ref={canvas} />
      {selectedAt === null ? null : <div class="minimap-cursor" style={{ left: share(selectedAt) }} />}
      <div
        class="minimap-frame"
        style={{ left: share(from), width: `max(6px, ${((to - from) / size) * 100}%)` }}
      />
    </div>
  )
}
