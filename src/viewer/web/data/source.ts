/** The source that this page was started with. Set once, before anything is drawn. */
import type { ViewerSource } from '../../protocol.ts'

let current: ViewerSource | null = null

export function setSource(source: ViewerSource): void {
  current = source
}

export function source(): ViewerSource {
  if (current === null) throw new Error('the page has no source yet')
  return current
}
