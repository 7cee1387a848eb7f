/** Finds text on the screens of a cassette, each hit where it first appears. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ScreenHit } from '../../../protocol.ts'
import { formatMoment, plural } from '../../data/format.ts'
import { source } from '../../data/source.ts'
import { onKeys } from '../../model/keys.ts'
import { useResource } from '../../model/resource.ts'
import { Icon } from '../../parts/icons.tsx'
import { Fetched } from '../../parts/states.tsx'

export function ScreenSearch({
  item,
  onOpen,
}: {
  readonly item: string
  readonly onOpen: (atMs: number) => void
}) {
  const [text, setText] = useState('')
  const hits = useResource(
    async (): Promise<readonly ScreenHit[]> => (text === '' ? [] : source().cassetteSearch(item, text)),
    [item, text],
    {
      keepOld: true,
    },
  )
  const found = hits.state === 'ready' ? hits.value : []
  const at = useRef(-1)
  const go = (step: number): void => {
    if (found.length === 0) return
    at.current = (at.current + step + found.length) % found.length
    onOpen(found[at.current]?.atMs ?? 0)
  }
  const latest = useRef(go)
  latest.current = go
  useEffect(() => onKeys({ n: () => latest.current(1), p: () => latest.current(-1) }), [])
  return (
    <section class="screen-search" aria-label="Search on the screen">
      <div class="search-box">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          placeholder="Search on the screen"
          aria-label="Search text on the screen"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => {
            at.current = -1
            setText(event.currentTarget.value)
          }}
        />
        <kbd>/</kbd>
      </div>
      {text === '' ? null : (
        <Fetched of={hits} what="matches">
          {(list) => (
            <>
              <p class="faint" role="status">
                {list.length === 0 ? 'No screen has this text.' : plural(list.length, 'match', 'matches')}
              </p>
              <ul class="lines">
                {list.map((hit, n) => (
                  <li key={n}>
                    <button type="button" class="line" onClick={() => onOpen(hit.atMs)}>
                      <span class="mono faint">{formatMoment(hit.atMs)}</span>
                      <code class="truncate grow">{hit.text.trim()}</code>
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Fetched>
      )}
    </section>
  )
}
