/** A journal: its entries in order, and everything that is known at the chosen entry. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AuditDocument, AuditEntry, ViewerItem, ViewerProblem } from '../../../protocol.ts'
import { formatJson } from '../../data/content.ts'
import { formatCount, formatWall, plural } from '../../data/format.ts'
import { problemFrom } from '../../data/problem.ts'
import { source } from '../../data/source.ts'
import { createWindowPages } from '../../data/window-pages.ts'
import { onKeys } from '../../model/keys.ts'
import { goTo } from '../../model/location.ts'
import { onPlayKey } from '../../model/play-key.ts'
import { useResource } from '../../model/resource.ts'
import { versionOf } from '../../model/viewer.ts'
import { JsonText } from '../../parts/json-text.tsx'
import { RowList } from '../../parts/row-list.tsx'
import { Chip, Section } from '../../parts/section.tsx'
import { Empty, Fetched, ProblemNote } from '../../parts/states.tsx'
import { FindingsPanel } from '../overview/findings-panel.tsx'
import { Moment } from './moment.tsx'

const ROW_PIXELS = 26
const PLAY_MS = 300

export default function AuditView({ item, at }: { readonly item: ViewerItem; readonly at: number | null }) {
  const document = useResource(() => source().audit(item.id), [item.id, versionOf(item.id)], {
    keepOld: true,
  })
  return (
    <Fetched of={document} what="the journal">
      {(audit) => <Audit item={item.id} audit={audit} at={at} />}
    </Fetched>
  )
}

function Audit({
  item,
  audit,
  at,
}: {
  readonly item: string
  readonly audit: AuditDocument
  readonly at: number | null
}) {
  const index = Math.max(0, Math.min(audit.entries - 1, at ?? audit.entries - 1))
  const [, setArrived] = useState(0)
  const [problem, setProblem] = useState<ViewerProblem | null>(null)
  const pages = useMemo(
    () =>
      createWindowPages<AuditEntry>({
        fetch: async (from, count) => {
          const { total, entries } = await source().auditEntries(item, { from, count })
          return { total, capped: false, rows: entries }
        },
        changed: () => setArrived((count) => count + 1),
        failed: (error) => setProblem(problemFrom(error)),
      }),
    [item, audit.entries],
  )
  useEffect(() => () => pages.close(), [pages])
  const go = (next: number): void =>
    goTo({ view: 'audit', item, at: Math.max(0, Math.min(audit.entries - 1, next)) }, 'replace')
  const [playing, setPlaying] = useState(false)
  const latest = useRef({ index, go })
  latest.current = { index, go }
  useEffect(() => {
    const move = (by: number) => () => latest.current.go(latest.current.index + by)
    const stops = [
      onKeys({
        ArrowDown: move(1),
        ArrowUp: move(-1),
        ArrowRight: move(1),
        ArrowLeft: move(-1),
        PageDown: move(20),
        PageUp: move(-20),
        Home: () => latest.current.go(0),
        End: () => latest.current.go(audit.entries - 1),
      }),
      onPlayKey(() => setPlaying((old) => !old)),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [audit.entries])
  useEffect(() => {
    if (!playing) return
    if (index >= audit.entries - 1) return setPlaying(false)
    const timer = setTimeout(() => latest.current.go(index + 1), PLAY_MS)
    return () => clearTimeout(timer)
  }, [playing, index])

  const entry = pages.row(index)
  return (
    <div class="audit-view">
      <header class="audit-head">
        <p class="eyebrow truncate">{audit.path}</p>
        <div class="chips">
          <Chip>{audit.format}</Chip>
          <Chip>{plural(audit.entries, 'entry', 'entries')}</Chip>
          {audit.firstSeq === null ? null : (
            <Chip>{`seq ${audit.firstSeq} – ${audit.lastSeq ?? audit.firstSeq}`}</Chip>
          )}
        </div>
        <FindingsPanel findings={audit.findings} onOpen={go} />
        {audit.entries === 0 ? null : (
          <label class="scrub">
            <span class="visually-hidden">Moment</span>
            <input
              type="range"
              min={0}
              max={Math.max(1, audit.entries - 1)}
              value={index}
              aria-valuetext={`entry ${index + 1} of ${audit.entries}`}
              onInput={(event) => go(Number(event.currentTarget.value))}
            />
            <span class="mono muted">
              {formatCount(index + 1)} / {formatCount(audit.entries)}
            </span>
          </label>
        )}
      </header>
      {problem === null ? null : <ProblemNote problem={problem} />}
      {audit.entries === 0 ? (
        <Empty title="This journal has no entries." />
      ) : (
        <div class="split has-record">
          <section class="list-pane" aria-label="Entries">
            <RowList
              label="Entries"
              count={audit.entries}
              rowPixels={ROW_PIXELS}
              selected={index}
              onRange={pages.want}
              onSelect={go}
              renderRow={(n) => <EntryLine entry={pages.row(n)} />}
            />
          </section>
          <article class="record" aria-label="Moment">
            <div class="record-inner scroll">
              {entry === null ? null : (
                <Section
                  title={entry.title}
                  note={entry.atMs === null ? entry.kind : `${entry.kind} · ${formatWall(entry.atMs)}`}
                  open={false}
                >
                  <JsonText text={formatJson(entry.json) ?? entry.json} />
                </Section>
              )}
              <Moment item={item} index={index} />
            </div>
          </article>
        </div>
      )}
    </div>
  )
}

function EntryLine({ entry }: { readonly entry: AuditEntry | null }) {
  if (entry === null) {
    return (
      <div class="row-line row-waiting">
        <span class="skeleton" />
      </div>
    )
  }
  return (
    <div class="row-line entry-line">
      <span class="row-seq">{entry.seq}</span>
      <span class="row-time">{entry.turn === null ? '' : `t${entry.turn}`}</span>
      <span class={`category category-${categoryClass(entry.category)}`}>{entry.category ?? ''}</span>
      <span class="row-kind truncate">{entry.kind}</span>
      <span class="row-title truncate">{entry.title}</span>
    </div>
  )
}

function categoryClass(category: string | null): string {
  return category !== null && ['syscall', 'sched', 'mm', 'proc', 'ipc'].includes(category) ? category : 'none'
}
