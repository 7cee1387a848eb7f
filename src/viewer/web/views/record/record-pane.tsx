/** One record: what it means, what belongs to it, and the line as it is stored. */
import type { Row, RowDetails } from '../../../protocol.ts'
import { formatBytes, formatDuration, formatMoment, formatWall, plural } from '../../data/format.ts'
import { LANE_NAMES } from '../../data/lanes.ts'
import { source } from '../../data/source.ts'
import { useResource } from '../../model/resource.ts'
import { ContentView } from '../../parts/content-view.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Lazy, lazyPart } from '../../parts/lazy.tsx'
import { Chip } from '../../parts/section.tsx'
import { Fetched } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'

const detailViews = lazyPart(() => import('./detail-views.tsx'))

export type RecordPaneProps = {
  readonly item: string
  readonly row: number
  readonly version: number
  readonly onSelect: (row: number) => void
  readonly onClose: () => void
}

export function RecordPane({ item, row, version, onSelect, onClose }: RecordPaneProps) {
  const details = useResource(() => source().details(item, row), [item, row, version], { keepOld: true })
  return (
    <article class="record" aria-label="Record">
      <Fetched of={details} what={`record ${row}`}>
        {(value, stale) => (
          <div class={stale && value.row.row !== row ? 'stale record-inner' : 'record-inner'}>
            <Head details={value} onClose={onClose} />
            <Tabs
              key={value.view.type}
              label="Record"
              tabs={[
                {
                  id: 'view',
                  title: titleOf(value),
                  draw: () => (
                    <Lazy
                      load={detailViews.load}
                      loaded={detailViews.loaded}
                      what="the record"
                      draw={({ DetailBody }) => (
                        <DetailBody key={value.row.row} item={item} row={value.row.row} view={value.view} />
                      )}
                    />
                  ),
                },
                ...(value.related.length > 1
                  ? [
                      {
                        id: 'related',
                        title: `Effect (${value.related.length + value.relatedMore})`,
                        draw: () => <Related details={value} onSelect={onSelect} />,
                      },
                    ]
                  : []),
                {
                  id: 'raw',
                  title: 'Raw',
                  draw: () => (
                    <ContentView key={value.row.row} item={item} content={value.raw} label="the line" />
                  ),
                },
              ]}
            />
          </div>
        )}
      </Fetched>
    </article>
  )
}

function titleOf({ view }: RowDetails): string {
  switch (view.type) {
    case 'llm':
      return 'Conversation'
    case 'http':
      return 'Exchange'
    case 'process':
      return 'Process'
    case 'file':
      return 'File'
    case 'mcp':
      return 'MCP'
    case 'terminal':
      return 'Terminal'
    case 'stream':
      return 'Stream'
    case 'damage':
      return 'Damage'
    case 'fields':
      return 'Fields'
  }
}

function Head({
  details: { row, wallMs },
  onClose,
}: {
  readonly details: RowDetails
  readonly onClose: () => void
}) {
  return (
    <header class="record-head">
      <div class="record-line">
        <span class="lane-tag" data-lane={row.lane}>
          <span class="dot" />
          {LANE_NAMES[row.lane]}
        </span>
        <code class="faint">{row.kind}</code>
        <span class="spacer" />
        <span class="mono faint">{row.seq === null ? `row ${row.row}` : `#${row.seq}`}</span>
        <button type="button" class="icon-button" aria-label="Close the record" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <h2 class="record-title">{row.title}</h2>
      <p class="record-meta muted">
        <span title={wallMs === null ? '' : formatWall(wallMs)}>at {formatMoment(row.atMs)}</span>
        {row.durationMs === null ? null : <span>took {formatDuration(row.durationMs)}</span>}
        <span>{formatBytes(row.sizeBytes)}</span>
        {row.phase === 'runtime_finalize' ? <span>while the program ended</span> : null}
        {row.masked > 0 ? <Chip tone="warn">{plural(row.masked, 'secret')} masked</Chip> : null}
      </p>
    </header>
  )
}

function Related({
  details,
  onSelect,
}: {
  readonly details: RowDetails
  readonly onSelect: (row: number) => void
}) {
  return (
    <>
      <ul class="related">
        {details.related.map((row: Row) => (
          <li key={row.row}>
            <button
              type="button"
              class="related-row"
              aria-current={row.row === details.row.row}
              onClick={() => onSelect(row.row)}
            >
              <span class="mono faint">{formatMoment(row.atMs)}</span>
              <code class="truncate">{row.kind}</code>
              <span class="truncate">{row.title}</span>
            </button>
          </li>
        ))}
      </ul>
      {details.relatedMore > 0 ? <p class="faint">and {plural(details.relatedMore, 'more record')}</p> : null}
    </>
  )
}
