/**
 * Pointer and wheel on the timeline: drag to pan, wheel or pinch to zoom, click to pick, double click to zoom
 * in.
 */
import type { TimelineAxis } from '../../../protocol.ts'
import { fromPixels, panBy, type Range, zoomAt } from './scale.ts'

export type GestureTarget = {
  readonly axis: TimelineAxis
  extent(): Range
  range(): Range
  width(): number
  setRange(range: Range): void
  pick(at: number, y: number): void
  hover(at: number | null): void
}

/** Movement below this is a click. */
const CLICK_PIXELS = 4

export function listenForGestures(element: HTMLElement, target: GestureTarget): () => void {
  const pointers = new Map<number, { x: number; y: number }>()
  let travelled = 0

  const xOf = (event: { clientX: number }): number => event.clientX - element.getBoundingClientRect().left
  const at = (x: number): number => fromPixels(target.range(), target.width(), x)
  const perPixel = (): number => (target.range().to - target.range().from) / target.width()
  const zoom = (factor: number, x: number): void =>
    target.setRange(zoomAt(target.axis, target.extent(), target.range(), factor, at(x)))

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault()
    const pixels = event.deltaMode === 1 ? 16 : 1
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
    if (sideways)
      target.setRange(
        panBy(target.extent(), target.range(), (event.deltaX || event.deltaY) * pixels * perPixel()),
      )
    else zoom(Math.exp(event.deltaY * pixels * 0.002), xOf(event))
  }
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return
    element.setPointerCapture(event.pointerId)
    pointers.set(event.pointerId, { x: xOf(event), y: event.clientY })
    travelled = 0
  }
  const onMove = (event: PointerEvent): void => {
    const x = xOf(event)
    target.hover(at(x))
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, pointer]) => pointer)
    const other = others[0]
    travelled += Math.abs(x - before.x)
    if (other !== undefined) {
      const factor = Math.max(1, Math.abs(before.x - other.x)) / Math.max(1, Math.abs(x - other.x))
      zoom(factor, (x + other.x) / 2)
    } else if (travelled >= CLICK_PIXELS)
      target.setRange(panBy(target.extent(), target.range(), (before.x - x) * perPixel()))
    pointers.set(event.pointerId, { x, y: event.clientY })
  }
  const onUp = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId) || travelled >= CLICK_PIXELS || event.type === 'pointercancel')
      return
    target.pick(at(xOf(event)), event.clientY - element.getBoundingClientRect().top)
  }
  const onLeave = (): void => target.hover(null)
  const onDouble = (event: MouseEvent): void => zoom(0.25, xOf(event))

  element.addEventListener('wheel', onWheel, { passive: false })
  element.addEventListener('pointerdown', onDown)
  element.addEventListener('pointermove', onMove)
  element.addEventListener('pointerup', onUp)
  element.addEventListener('pointercancel', onUp)
  element.addEventListener('pointerleave', onLeave)
  element.addEventListener('dblclick', onDouble)
  return () => {
    element.removeEventListener('wheel', onWheel)
    element.removeEventListener('pointerdown', onDown)
    element.removeEventListener('pointermove', onMove)
    element.removeEventListener('pointerup', onUp)
    element.removeEventListener('pointercancel', onUp)
    element.removeEventListener('pointerleave', onLeave)
    element.removeEventListener('dblclick', onDouble)
  }
}
