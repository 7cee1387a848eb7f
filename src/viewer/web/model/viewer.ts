/** What is open: the items, which of them is shown, and how far a tape that is being recorded has grown. */
import { computed, signal } from '@preact/signals'
import type { FollowEvent, TapeOverview, ViewerDocument, ViewerItem } from '../../protocol.ts'
import { source } from '../data/source.ts'
import { location } from './location.ts'
import { type Resource, useResource } from './resource.ts'

export type Growth = { readonly version: number; readonly rows: number; readonly state: 'growing' | 'sealed' }

export const viewerDocument = signal<ViewerDocument | null>(null)
export const growth = signal<ReadonlyMap<string, Growth>>(new Map())
/** Why nothing new arrives any more, or null. */
export const lost = signal<string | null>(null)

export const items = computed((): readonly ViewerItem[] => viewerDocument.value?.items ?? [])

/** The item of the location, or the first one. */
export const currentItem = computed((): ViewerItem | null => {
  const place = location.value
  const id = 'item' in place ? place.item : null
  return items.value.find((item) => item.id === id) ?? items.value[0] ?? null
})

export function followGrowth(): void {
  if (viewerDocument.peek()?.capabilities.follow === true) source().follow(take)
}

function take(event: FollowEvent): void {
  switch (event.type) {
    case 'grown':
      note(event.item, event.rows, 'growing')
      break
    case 'sealed':
      note(event.item, growth.peek().get(event.item)?.rows ?? 0, 'sealed')
      break
    case 'replaced':
      window.location.reload()
      break
    case 'lost':
      lost.value = event.message
  }
}

/** Changes whenever the item does: a key for what is fetched about it. */
export function versionOf(item: string): number {
  return growth.value.get(item)?.version ?? 0
}

export function useOverview(item: string): Resource<TapeOverview> {
  return useResource(() => source().overview(item), [item, versionOf(item)], { keepOld: true })
}

function note(item: string, rows: number, state: Growth['state']): void {
  const version = (growth.peek().get(item)?.version ?? 0) + 1
  growth.value = new Map(growth.peek()).set(item, { version, rows, state })
  lost.value = null
}
