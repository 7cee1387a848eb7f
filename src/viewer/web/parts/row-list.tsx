/**
 * A list with one row height, for any number of rows. Draws what is in view and a few rows more; the rest of
 * the list is arithmetic.
 *
 * It is one stop for the keyboard: the owner moves the selection, and the list keeps the selected row in
 * view.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePixelHeight } from './pixel-width.ts'
import {
  clampOffset,
  elementPixels,
  fromElementOffset,
  lastOffset,
  MOST_PIXELS,
  offsetShowing,
  type RowGeometry,
  toElementOffset,
  visibleRows,
} from './row-window.ts'

const SPARE_ROWS = 6

export type RowListProps = {
  readonly label: string
  readonly count: number
  readonly rowPixels: number
  readonly selected: number | null
  /** Stay at the end while rows are added. */
  readonly pinned?: boolean
  /** Reports the rows on the screen, so that they can be fetched. */
  readonly onRange: (first: number, last: number) => void
  readonly onSelect: (position: number) => void
  /** The reader scrolled away from the end. */
  readonly onUnpin?: () => void
  readonly renderRow: (position: number) => ComponentChildren
}

export function RowList({
  label,
  count,
  rowPixels,
  selected,
  pinned = false,
  onRange,
  onSelect,
  onUnpin,
  renderRow,
}: RowListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const viewPixels = usePixelHeight(scroller)
  const [wanted, setOffset] = useState(0)
  const geometry: RowGeometry = { count, rowPixels, viewPixels }
  const offset = pinned ? lastOffset(geometry) : clampOffset(geometry, wanted)
  const latest = useRef({ geometry, offset, onUnpin, onSelect })
  latest.current = { geometry, offset, onUnpin, onSelect }
  /**
   * The position of the scroll bar that we set ourselves, so that its event does not count as the reader's.
   */
  const own = useRef(0)

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || viewPixels === 0) return
    const target = Math.round(toElementOffset(geometry, offset))
    own.current = target
    if (Math.abs(element.scrollTop - target) > 1) element.scrollTop = target
  }, [offset, count, viewPixels])

  useEffect(() => {
    if (selected !== null && viewPixels > 0)
      setOffset((old) => offsetShowing(geometry, clampOffset(geometry, old), selected))
  }, [selected, viewPixels > 0, count > 0])

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const onScroll = (): void => {
      if (Math.abs(element.scrollTop - own.current) <= 1) return
      own.current = element.scrollTop
      move(fromElementOffset(latest.current.geometry, element.scrollTop))
    }
    const onWheel = (event: WheelEvent): void => {
      // A scaled scroll bar would jump over rows. Short lists scroll by themselves.
      if (latest.current.geometry.count * rowPixels <= MOST_PIXELS || event.ctrlKey) return
      event.preventDefault()
      const pixels = event.deltaMode === 1 ? rowPixels : 1
      move(clampOffset(latest.current.geometry, latest.current.offset + event.deltaY * pixels))
    }
    const move = (next: number): void => {
      if (next < lastOffset(latest.current.geometry) - rowPixels) latest.current.onUnpin?.()
      setOffset(next)
    }
    const onClick = ({ target }: MouseEvent): void => {
      const slot = target instanceof Element ? target.closest<HTMLElement>('[data-position]') : null
      if (slot !== null) latest.current.onSelect(Number(slot.dataset.position))
    }
    element.addEventListener('click', onClick)
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      element.removeEventListener('click', onClick)
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
    }
  }, [rowPixels])

  const { first, last } = visibleRows(geometry, offset, SPARE_ROWS)
  useEffect(() => {
    if (viewPixels > 0 && last >= first) onRange(first, last)
  }, [first, last, viewPixels, onRange])

  const rows = []
  for (let position = first; position <= last; position += 1) {
    rows.push(
      <div
        key={position}
        id={`row-${position}`}
        role="option"
        tabIndex={-1}
        class="row-slot"
        aria-selected={position === selected}
        aria-setsize={count}
        aria-posinset={position + 1}
        style={{ height: `${rowPixels}px`, transform: `translateY(${position * rowPixels - offset}px)` }}
        data-position={position}
      >
        {renderRow(position)}
      </div>,
    )
  }
  const active =
    selected !== null && selected >= first && selected <= last
      ? { 'aria-activedescendant': `row-${selected}` }
      : {}
  return (
    <div ref={scroller} class="row-list" role="listbox" aria-label={label} tabIndex={0} {...active}>
      <div class="row-list-height" style={{ height: `${elementPixels(geometry)}px` }}>
        <div class="row-list-window" style={{ height: `${viewPixels}px` }}>
          {rows}
        </div>
      </div>
    </div>
  )
}
