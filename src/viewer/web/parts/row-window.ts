/**
 * Which rows of a list with one row height are on the screen, for any number of rows.
 *
 * Browsers limit the height of an element to about 17 million pixels. A longer list gets an element of
 * `MOST_PIXELS`, and the scroll bar's position is scaled to the list; the wheel and the keys still move by
 * exact pixels, because the offset that counts is kept here and not in the element.
 *
 * Decision 0275.
 */
export const MOST_PIXELS = 8_000_000

export type RowRange = { readonly first: number; readonly last: number }

export type RowGeometry = { readonly count: number; readonly rowPixels: number; readonly viewPixels: number }

/** The largest offset, in pixels of the list. */
export function lastOffset({ count, rowPixels, viewPixels }: RowGeometry): number {
  return Math.max(0, count * rowPixels - viewPixels)
}

/** The height of the element that carries the scroll bar. */
export function elementPixels({ count, rowPixels }: RowGeometry): number {
  return Math.min(MOST_PIXELS, count * rowPixels)
}

export function clampOffset(geometry: RowGeometry, offset: number): number {
  return Math.min(lastOffset(geometry), Math.max(0, offset))
}

/** Position of the scroll bar for an offset in the list. */
export function toElementOffset(geometry: RowGeometry, offset: number): number {
  const most = Math.max(0, elementPixels(geometry) - geometry.viewPixels)
  const last = lastOffset(geometry)
  return last === 0 ? 0 : (offset / last) * most
}

/** Offset in the list for a position of the scroll bar. */
export function fromElementOffset(geometry: RowGeometry, elementOffset: number): number {
  const most = Math.max(0, elementPixels(geometry) - geometry.viewPixels)
  return most === 0 ? 0 : clampOffset(geometry, (elementOffset / most) * lastOffset(geometry))
}

/**
 * Rows from `first` to `last`, both included, with `spare` more on each side. Empty (`last < first`) for an
 * empty list.
 */
export function visibleRows(geometry: RowGeometry, offset: number, spare: number): RowRange {
  const { count, rowPixels, viewPixels } = geometry
  const first = Math.floor(offset / rowPixels) - spare
  const last = Math.ceil((offset + viewPixels) / rowPixels) - 1 + spare
  return { first: Math.max(0, first), last: Math.min(count - 1, last) }
}

/** The offset at which a row is in view: unchanged if it already is, else with the row in the middle. */
export function offsetShowing(geometry: RowGeometry, offset: number, row: number): number {
  const top = row * geometry.rowPixels
  if (top >= offset && top + geometry.rowPixels <= offset + geometry.viewPixels) return offset
  return clampOffset(geometry, top - (geometry.viewPixels - geometry.rowPixels) / 2)
}
