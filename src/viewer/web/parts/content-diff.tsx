/** The difference of two stored contents: of a file, or of a version of state. */
import type { Content } from '../../protocol.ts'
import { loadContent } from '../data/content.ts'
import { useResource } from '../model/resource.ts'
import { Lazy } from './lazy.tsx'
import { Fetched } from './states.tsx'

export function ContentDiff({
  item,
  before,
  after,
}: {
  readonly item: string
  readonly before: Content
  readonly after: Content
}) {
  const texts = useResource(
    () => Promise.all([before, after].map((content) => loadContent(item, content, Number.MAX_SAFE_INTEGER))),
    [item, before, after],
  )
  return (
    <Fetched of={texts} what="both contents">
      {([left, right]) => {
        const [old, now] = [left?.text ?? null, right?.text ?? null]
        if (old === null || now === null)
          return <p class="callout">The content is not text. Both versions are shown as bytes only.</p>
        return (
          <Lazy
            load={() => import('./text-diff.tsx')}
            what="the comparison"
            draw={({ TextDiff }) => <TextDiff before={old} after={now} />}
          />
        )
      }}
    </Fetched>
  )
}
