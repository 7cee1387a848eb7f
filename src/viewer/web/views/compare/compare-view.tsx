/**
 * Two tapes side by side, aligned by the oracle: the fidelity report on top, then the rows, and the fields of
 * the chosen difference.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AlignedRow, ComparisonDocument, Row, ViewerProblem } from '../../../protocol.ts'
import { formatCount, formatMoment, plural } from '../../data/format.ts'
import { problemFrom } from '../../data/problem.ts'
import { source } from '../../data/source.ts'
import { createWindowPages } from '../../data/window-pages.ts'
import { onKeys } from '../../model/keys.ts'
import { goTo } from '../../model/location.ts'
import { useResource } from '../../model/resource.ts'
import { RowList } from '../../parts/row-list.tsx'
import { Chip } from '../../parts/section.tsx'
import { Empty, Fetched, ProblemNote } from '../../parts/states.tsx'
import { PairPane } from './pair-pane.tsx'

const ROW_PIXELS = 28

export default function CompareView({ at }: { readonly at: number | null }) {
  const comparison = useResource(() => source().comparison(), [])
  return (
    <Fetched of={comparison} what="the comparison">
      {(value) => <Compare comparison={value} at={at} />}
    </Fetched>
  )
}

function Compare({
  comparison,
  at,
}: {
  readonly comparison: ComparisonDocument
  readonly at: number | null
}) {
  const chosen = at ?? comparison.firstDifference
  const [show, setShow] = useState<'all' | 'differences'>('all')
  const [, setArrived] = useState(0)
  const [problem, setProblem] = useState<ViewerProblem | null>(null)
  const pages = useMemo(
    () =>
      createWindowPages<AlignedRow>({
        fetch: async (from, count) => ({ capped: false, ...(await source().aligned({ from, count, show })) }),
        changed: () => setArrived((count) => count + 1),
        failed: (error) => setProblem(problemFrom(error)),
      }),
    [show],
  )
  useEffect(() => {
    pages.want(0, 0)
    return () => pages.close()
  }, [pages])
  const differences = show === 'all' ? comparison.alignedRows : (pages.total() ?? 0)
  const [picked, setPicked] = useState<number | null>(null)
  // In the list of differences a row's place is not its position: it is found among the rows that are here.
  const selected = show === 'all' ? chosen : picked
  const pair = useResource(
    async () =>
      chosen === null
        ? null
        : ((await source().aligned({ from: chosen, count: 1, show: 'all' })).rows[0] ?? null),
    [chosen],
    { keepOld: true },
  )
  const go = (position: number): void =>
    goTo({ view: 'compare', at: Math.max(0, Math.min(comparison.alignedRows - 1, position)) }, 'replace')
  const pick = (place: number): void => {
    const row = pages.row(place)
    if (row === null) return
    setPicked(place)
    go(row.position)
  }
  const step = (by: number): void => {
    if (show === 'all') go((chosen ?? -1) + by)
    else pick(Math.max(0, Math.min(differences - 1, (picked ?? -1) + by)))
  }
  const findDifference = (direction: 1 | -1): void => {
    nextDifference(chosen ?? -1, direction).then(
      (position) => {
        if (position !== null) go(position)
      },
      (error: unknown) => setProblem(problemFrom(error)),
    )
  }
  const latest = useRef({ step, findDifference })
  latest.current = { step, findDifference }
  useEffect(
    () =>
      onKeys({
        ArrowDown: () => latest.current.step(1),
        ArrowUp: () => latest.current.step(-1),
        PageDown: () => latest.current.step(20),
        PageUp: () => latest.current.step(-20),
        n: () => latest.current.findDifference(1),
        p: () => latest.current.findDifference(-1),
      }),
    [],
  )
  return (
    <div class="compare-view">
      <Report comparison={comparison} />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div class="split has-record">
        <section class="list-pane" aria-label="Aligned records">
          <div class="filter-bar">
            <fieldset class="segmented" aria-label="Rows">
              {(['all', 'differences'] as const).map((choice) => (
                <button
                  key={choice}
                  type="button"
                  aria-pressed={show === choice}
                  onClick={() => setShow(choice)}
                >
                  {choice === 'all' ? 'All rows' : 'Differences'}
                </button>
              ))}
            </fieldset>
            <span class="spacer" />
            <button type="button" class="quiet" onClick={() => findDifference(-1)}>
              Previous
            </button>
            <button type="button" class="quiet" onClick={() => findDifference(1)}>
              Next difference
            </button>
          </div>
          <div class="pair-line pair-heads" aria-hidden="true">
            <span>Recorded</span>
            <span />
            <span>Replayed</span>
          </div>
          {show === 'differences' && pages.total() === 0 ? (
            <Empty title="No differences." />
          ) : (
            <RowList
              key={show}
              label="Aligned records"
              count={differences}
              rowPixels={ROW_PIXELS}
              selected={selected}
              onRange={pages.want}
              onSelect={pick}
              renderRow={(place) => <PairLine pair={pages.row(place)} />}
            />
          )}
        </section>
        <article class="record" aria-label="Difference">
          {pair.state === 'ready' && pair.value !== null ? (
            <PairPane comparison={comparison} pair={pair.value} />
          ) : (
            <Empty title="No difference is chosen." />
          )}
        </article>
      </div>
    </div>
  )
}

async function nextDifference(from: number, direction: 1 | -1): Promise<number | null> {
  let low = 0
  let high = (await source().aligned({ from: 0, count: 0, show: 'differences' })).total
  const total = high
  const positionOf = async (place: number): Promise<number | null> =>
    (await source().aligned({ from: place, count: 1, show: 'differences' })).rows[0]?.position ?? null
  // The first difference at or after `from + 1` (or at or after `from`, to step back from it).
  const target = direction === 1 ? from + 1 : from
  while (low < high) {
    const middle = (low + high) >> 1
    const position = await positionOf(middle)
    if (position !== null && position < target) low = middle + 1
    else high = middle
  }
  const place = direction === 1 ? low : low - 1
  return place < 0 || place >= total ? null : positionOf(place)
}

function Report({ comparison }: { readonly comparison: ComparisonDocument }) {
  const tone = ({ same: 'ok', diverged: 'bad', unverified: 'warn', failed: 'bad' } as const)[
    comparison.verdict
  ]
  return (
    <header class="report" data-testid="report">
      <h1 class="report-headline">{comparison.headline}</h1>
      <div class="chips">
        <Chip tone={tone}>{comparison.verdict}</Chip>
        <Chip>{(comparison.score * 100).toFixed(comparison.score === 1 ? 0 : 2)} % alike</Chip>
        <Chip>{`${comparison.mode} · ${comparison.align}`}</Chip>
        <Chip>{`${formatCount(comparison.recordedRecords)} and ${formatCount(comparison.replayedRecords)} records`}</Chip>
        <Chip tone={comparison.findingCount > 0 ? 'bad' : 'plain'}>
          {plural(comparison.findingCount, 'finding')}
        </Chip>
        {comparison.categories.map(({ category, count }) => (
          <Chip key={category}>
            {category} <span class="faint">{formatCount(count)}</span>
          </Chip>
        ))}
      </div>
      {comparison.problem === null ? null : <p class="callout callout-bad">{comparison.problem}</p>}
      {comparison.alignmentComplete ? null : (
        <p class="callout">Not all findings are listed. After the last one, rows are paired by position.</p>
      )}
      {comparison.warnings.length === 0 ? null : (
        <details class="warnings">
          <summary>{plural(comparison.warnings.length, 'warning')}</summary>
          <ul class="bullets">
            {comparison.warnings.map((warning, n) => (
              <li key={n}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </header>
  )
}

const SIGNS = { same: '=', changed: '≠', missing: '−', extra: '+', uncompared: '?' } as const

function PairLine({ pair }: { readonly pair: AlignedRow | null }) {
  if (pair === null) {
    return (
      <div class="row-line row-waiting">
        <span class="skeleton" />
      </div>
    )
  }
  return (
    <div class={`pair-line pair-${pair.state}`}>
      <Side row={pair.recorded} />
      <span class="pair-sign" title={pair.state}>
        {SIGNS[pair.state]}
      </span>
      <Side row={pair.replayed} />
    </div>
  )
}

function Side({ row }: { readonly row: Row | null }) {
  if (row === null) return <span class="pair-side pair-absent" />
  return (
    <span class="pair-side truncate" data-lane={row.lane}>
      <span class="row-seq">{row.seq ?? '–'}</span>
      <span class="dot" />
      <span class="truncate" title={formatMoment(row.atMs)}>
        {row.title}
      </span>
    </span>
  )
}
