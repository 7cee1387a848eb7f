/** The width of an element in pixels, 0 before it is known. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

export function usePixelWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    setWidth(Math.floor(element.current.clientWidth))
    return () => observer.disconnect()
  }, [])
  return width
}

export function usePixelHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setHeight(Math.floor(entry?.contentRect.height ?? 0)))
    observer.observe(element.current)
    setHeight(Math.floor(element.current.clientHeight))
    return () => observer.disconnect()
  }, [])
  return height
}
