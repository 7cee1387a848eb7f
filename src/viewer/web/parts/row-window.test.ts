import { describe, expect, it } from 'vitest'
import {
  elementPixels,
  fromElementOffset,
  lastOffset,
  MOST_PIXELS,
  offsetShowing,
  toElementOffset,
  visibleRows,
} from './row-window.ts'

const short = { count: 100, rowPixels: 24, viewPixels: 480 }
const long = { count: 5_000_000, rowPixels: 24, viewPixels: 480 }

describe('row window', () => {
  it('shows the rows in the view and the spare ones', () => {
    expect(visibleRows(short, 0, 2)).toEqual({ first: 0, last: 21 })
    expect(visibleRows(short, 240, 2)).toEqual({ first: 8, last: 31 })
    expect(visibleRows(short, lastOffset(short), 2)).toEqual({ first: 78, last: 99 })
  })

  it('has no rows in an empty list', () => {
    const { first, last } = visibleRows({ ...short, count: 0 }, 0, 2)
    expect(last).toBeLessThan(first)
  })

  it('keeps the element of a long list below the limit of browsers and still reaches both ends', () => {
    expect(elementPixels(short)).toBe(2400)
    expect(elementPixels(long)).toBe(MOST_PIXELS)
    expect(fromElementOffset(long, 0)).toBe(0)
    expect(fromElementOffset(long, MOST_PIXELS - 480)).toBe(lastOffset(long))
    expect(visibleRows(long, lastOffset(long), 0).last).toBe(4_999_999)
  })

  it('maps offsets to the scroll bar and back', () => {
    for (const offset of [0, 24, 1_000_000, 60_000_000, lastOffset(long)])
      expect(fromElementOffset(long, toElementOffset(long, offset))).toBeCloseTo(offset, 3)
    expect(toElementOffset(short, 240)).toBe(240)
  })

  it('moves only if the row is out of view', () => {
    expect(offsetShowing(short, 0, 5)).toBe(0)
    expect(offsetShowing(short, 0, 50)).toBe(50 * 24 - 228)
    expect(offsetShowing(short, 0, 99)).toBe(lastOffset(short))
  })
})
