/**
 * One pair of aligned records: what differs, field by field, then the text of both records with the changes
 * marked.
 */
import type {
  AlignedRow,
  ComparisonDivergence,
  ComparisonDocument,
  ComparisonFinding,
} from '../../../protocol.ts'
import { formatJson, loadContent } from '../../data/content.ts'
import { source } from '../../data/source.ts'
import { goTo, timelineAt } from '../../model/location.ts'
import { useResource } from '../../model/resource.ts'
import { Lazy } from '../../parts/lazy.tsx'
import { Chip, Section } from '../../parts/section.tsx'
import { Fetched } from '../../parts/states.tsx'

const PAIR_TONES = { same: 'ok', changed: 'bad', missing: 'bad', extra: 'bad', uncompared: 'warn' } as const

export function PairPane({
  comparison,
  pair,
}: {
  readonly comparison: ComparisonDocument
  readonly pair: AlignedRow
}) {
  return (
    <div class="record-inner scroll">
      <header class="record-head">
        <h2 class="record-title">{pair.recorded?.title ?? pair.replayed?.title ?? ''}</h2>
        <div class="chips">
          <Chip tone={PAIR_TONES[pair.state]}>{pair.state}</Chip>
          <SideLink title="Recorded" item={comparison.recorded} row={pair.recorded?.row ?? null} />
          <SideLink title="Replayed" item={comparison.replayed} row={pair.replayed?.row ?? null} />
        </div>
      </header>
      <div class="record-body">
        {pair.finding === null ? null : <Finding number={pair.finding} />}
        {pair.recorded === null || pair.replayed === null ? null : (
          <Section title="Difference of the lines" open={pair.state !== 'same'}>
            <LineDiff comparison={comparison} recorded={pair.recorded.row} replayed={pair.replayed.row} />
          </Section>
        )}
      </div>
    </div>
  )
}

function SideLink({
  title,
  item,
  row,
}: {
  readonly title: string
  readonly item: string
  readonly row: number | null
}) {
  if (row === null) return <span class="faint">not in {title.toLowerCase()}</span>
  return (
    <button type="button" class="quiet" onClick={() => goTo(timelineAt(item, row))}>
      {title} #{row}
    </button>
  )
}

function Finding({ number }: { readonly number: number }) {
  const finding = useResource(() => source().comparisonFinding(number), [number], { keepOld: true })
  return (
    <Fetched of={finding} what="the finding">
      {(value: ComparisonFinding) => (
        <div class="card card-bad">
          <p class="finding-message">{value.headline}</p>
          {value.hint === null ? null : <p class="muted">{value.hint}</p>}
          <ul class="divergences">
            {value.divergences.map((divergence, n) => (
              <li key={n}>
                <Divergence divergence={divergence} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Fetched>
  )
}

function Divergence({ divergence }: { readonly divergence: ComparisonDivergence }) {
  const { category, path, message, expected, actual, place } = divergence
  return (
    <>
      <p class="chips">
        <Chip tone="bad">{category}</Chip> {path === null ? null : <code>{path}</code>}
      </p>
      <p>{message}</p>
      {place === null ? null : <p class="muted">{place}</p>}
      {expected === null && actual === null ? null : (
        <dl class="values">
          <div class="value-removed">
            <dt>recorded</dt>
            <dd>{expected ?? <span class="faint">nothing</span>}</dd>
          </div>
          <div class="value-added">
            <dt>replayed</dt>
            <dd>{actual ?? <span class="faint">nothing</span>}</dd>
          </div>
        </dl>
      )}
    </>
  )
}

function LineDiff({
  comparison,
  recorded,
  replayed,
}: {
  readonly comparison: ComparisonDocument
  readonly recorded: number
  readonly replayed: number
}) {
  const texts = useResource(
    () => Promise.all([rawText(comparison.recorded, recorded), rawText(comparison.replayed, replayed)]),
    [comparison, recorded, replayed],
    { keepOld: true },
  )
  return (
    <Fetched of={texts} what="both records">
      {([before, after]) => (
        <Lazy
          load={() => import('../../parts/text-diff.tsx')}
          what="the comparison"
          draw={({ TextDiff }) => <TextDiff before={before} after={after} />}
        />
      )}
    </Fetched>
  )
}

async function rawText(item: string, row: number): Promise<string> {
  const { raw } = await source().details(item, row)
  const { text } = await loadContent(item, raw, Number.MAX_SAFE_INTEGER)
  return text === null ? '' : (formatJson(text) ?? text)
}
