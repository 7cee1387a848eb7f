/**
 * Where the reader is. Kept in the fragment of the address, so that every state of the page is a link; the
 * server never sees it.
 */
import { signal } from '@preact/signals'
import { formatLocation, parseLocation, type ViewerLocation } from '../../protocol.ts'

export type TimelineLocation = Extract<ViewerLocation, { view: 'timeline' }>

export const location = signal<ViewerLocation>({ view: 'start' })

/** Changing a selection replaces the entry in the history; opening something adds one. */
export function goTo(next: ViewerLocation, history: 'push' | 'replace' = 'push'): void {
  const fragment = formatLocation(next)
  if (fragment === formatLocation(location.peek())) return
  // An exported file is opened from disk, where some browsers refuse to change the address. The page works
  // without it.
  try {
    if (history === 'push') window.history.pushState(null, '', fragment)
    else window.history.replaceState(null, '', fragment)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
  location.value = next
}

export function followAddress(): void {
  const read = (): void => {
    location.value = parseLocation(window.location.hash)
  }
  addEventListener('hashchange', read)
  addEventListener('popstate', read)
  read()
}

/** A location in the timeline of an item without filters. */
export function timelineAt(item: string, row: number | null = null): TimelineLocation {
  const noFilter = { kinds: [], lanes: [], phase: null, text: '', inRange: false, fromRow: null, toRow: null }
  return { view: 'timeline', item, row, from: null, to: null, ...noFilter }
}
