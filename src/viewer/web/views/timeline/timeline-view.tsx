/** The run over time: lanes above, the record list below them, and the open record next to it. */
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Lane, TapeOverview, TimelineAxis, ViewerItem, ViewerProblem } from '../../../protocol.ts'
import { formatCount, plural } from '../../data/format.ts'
import { shownLanes } from '../../data/lanes.ts'
import { problemFrom } from '../../data/problem.ts'
import { source } from '../../data/source.ts'
import { onKeys } from '../../model/keys.ts'
import { goTo, type TimelineLocation } from '../../model/location.ts'
import { onPlayKey } from '../../model/play-key.ts'
import { useOverview, versionOf, viewerDocument } from '../../model/viewer.ts'
import { Icon } from '../../parts/icons.tsx'
import { RowList } from '../../parts/row-list.tsx'
import { Empty, Fetched, ProblemNote } from '../../parts/states.tsx'
import { panBy, type Range, revealing, within, zoomAt } from '../../parts/timeline/scale.ts'
import { Timeline } from '../../parts/timeline/timeline.tsx'
import { RecordPane } from '../record/record-pane.tsx'
import { FilterBar, isFiltered } from './filter-bar.tsx'
import { filterOf } from './list-filter.ts'
import { RowLine } from './row-line.tsx'
import { usePosition, useRows } from './use-rows.ts'
import { useRunPlayback } from './use-run-playback.ts'

const ROW_PIXELS = 26
const REST_MS = 250

export function TimelineView({
  item,
  place,
}: {
  readonly item: ViewerItem
  readonly place: TimelineLocation
}) {
  const overview = useOverview(item.id)
  return (
    <Fetched of={overview} what="the tape">
      {(value) =>
        value.rows === 0 ? (
          <Empty title="This tape has no records.">
            {value.findings.findings[0]?.message ?? 'Nothing was recorded.'}
          </Empty>
        ) : (
          <Loaded key={item.id} item={item} place={place} overview={value} />
        )
      }
    </Fetched>
  )
}

function Loaded({
  item,
  place,
  overview,
}: {
  readonly item: ViewerItem
  readonly place: TimelineLocation
  readonly overview: TapeOverview
}) {
  const version = versionOf(item.id)
  const axis: TimelineAxis = overview.durationMs > 0 ? 'time' : 'record'
  const extent = useMemo(
    (): Range => ({
      from: 0,
      to: axis === 'time' ? overview.durationMs * 1.005 : Math.max(4, overview.rows),
    }),
    [axis, overview.durationMs, overview.rows],
  )
  const range = useMemo(
    () => signal<Range>(within(extent, { from: place.from ?? extent.from, to: place.to ?? extent.to })),
    [item.id, axis],
  )
  const latest = useRef({ place, extent })
  latest.current = { place, extent }
  const [problem, setProblem] = useState<ViewerProblem | null>(null)
  const lanes = useMemo(() => shownLanes(overview.lanes), [overview])
  const counts = useMemo(() => new Map(overview.lanes.map(({ lane, count }) => [lane, count])), [overview])
  const filter = filterOf(place)
  const rows = useRows(item.id, filter, version)
  const position = usePosition(item.id, filter, place.row, version)
  const [pinned, setPinned] = useState(
    place.row === null && viewerDocument.peek()?.capabilities.follow === true,
  )
  const selected = position === null ? null : rows.row(position)
  const [selectedAt, setSelectedAt] = useState<number | null>(null)

  const change = (next: Partial<TimelineLocation>, history: 'push' | 'replace' = 'replace'): void =>
    goTo({ ...latest.current.place, ...next }, history)
  const select = (row: number): void => {
    setPinned(false)
    change({ row })
  }
  const selectPosition = (next: number): void => {
    const total = rows.total ?? 0
    if (total === 0) return
    const target = Math.max(0, Math.min(total - 1, next))
    const known = rows.row(target)
    if (known !== null) {
      select(known.row)
      return
    }
    source()
      .rows(item.id, { filter, from: target, count: 1 })
      .then((window) => {
        const row = window.rows[0]
        if (row !== undefined) select(row.row)
      }, report)
  }
  const report = (error: unknown): void => setProblem(problemFrom(error))
  const findNext = (direction: 1 | -1): void => {
    const from = latest.current.place.row ?? (direction === 1 ? -1 : overview.rows)
    source()
      .nextFinding(item.id, from, direction)
      .then((finding) => {
        if (finding !== null && finding.row !== null) select(finding.row)
      }, report)
  }
  const zoom = (factor: number): void => {
    const { from, to } = range.peek()
    range.value = zoomAt(
      axis,
      latest.current.extent,
      range.peek(),
      factor,
      selectedAt !== null && selectedAt >= from && selectedAt <= to ? selectedAt : (from + to) / 2,
    )
  }
  const pan = (share: number): void => {
    const { from, to } = range.peek()
    range.value = panBy(latest.current.extent, range.peek(), (to - from) * share)
  }
  const fit = (): void => {
    range.value = latest.current.extent
  }

  // A growing tape keeps the whole run in view as long as the reader has not zoomed in.
  const lastExtent = useRef(extent)
  useEffect(() => {
    if (range.peek().from === lastExtent.current.from && range.peek().to === lastExtent.current.to)
      range.value = extent
    lastExtent.current = extent
  }, [extent])

  useEffect(() => {
    if (place.row === null) return setSelectedAt(null)
    if (axis === 'record') return setSelectedAt(place.row)
    if (selected !== null) setSelectedAt(selected.atMs)
    else {
      let current = true
      source()
        .rows(item.id, { filter: { fromRow: place.row, toRow: place.row + 1 }, from: 0, count: 1 })
        .then((window) => current && setSelectedAt(window.rows[0]?.atMs ?? null), report)
      return () => {
        current = false
      }
    }
  }, [place.row, selected?.row, axis])
  useEffect(() => {
    if (selectedAt !== null) range.value = revealing(latest.current.extent, range.peek(), selectedAt)
  }, [selectedAt])

  // The visible range is part of the link, once it rests.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const stop = range.subscribe(({ from, to }) => {
      if (timer !== null) clearTimeout(timer)
      timer = setTimeout(() => {
        const whole = from <= latest.current.extent.from && to >= latest.current.extent.to
        change(
          whole ? { from: null, to: null } : { from: Number(from.toFixed(3)), to: Number(to.toFixed(3)) },
        )
      }, REST_MS)
    })
    return () => {
      stop()
      if (timer !== null) clearTimeout(timer)
    }
  }, [range])

  const step = (by: number): void =>
    selectPosition(position === null ? (by > 0 ? 0 : (rows.total ?? 0) - 1) : position + by)
  const playback = useRunPlayback(item.id, { position, rows, onStep: selectPosition })
  const actions = useRef({ step, findNext, zoom, pan, fit, selectPosition, playback, change })
  actions.current = { step, findNext, zoom, pan, fit, selectPosition, playback, change }
  useEffect(() => {
    const act = actions
    const stopKeys = onKeys({
      ArrowDown: () => act.current.step(1),
      ArrowUp: () => act.current.step(-1),
      PageDown: () => act.current.step(20),
      PageUp: () => act.current.step(-20),
      Home: () => act.current.selectPosition(0),
      End: () => act.current.selectPosition(Number.MAX_SAFE_INTEGER),
      ArrowRight: () => act.current.pan(0.1),
      ArrowLeft: () => act.current.pan(-0.1),
      '+': () => act.current.zoom(0.5),
      '=': () => act.current.zoom(0.5),
      '-': () => act.current.zoom(2),
      '0': () => act.current.fit(),
      n: () => act.current.findNext(1),
      p: () => act.current.findNext(-1),
      Escape: () => act.current.change({ row: null }),
    })
    const stopPlay = onPlayKey(() => act.current.playback.toggle())
    return () => {
      stopKeys()
      stopPlay()
    }
  }, [])

  const toggleLane = (lane: Lane): void =>
    change({
      lanes: place.lanes.includes(lane)
        ? place.lanes.filter((name) => name !== lane)
        : [...place.lanes, lane],
    })

  return (
    <div class={place.row === null ? 'timeline-view' : 'timeline-view has-record'}>
      <div class="timeline-box">
        <Timeline
          item={item.id}
          axis={axis}
          extent={extent}
          range={range}
          lanes={lanes}
          counts={counts}
          shownLanes={place.lanes}
          selectedAt={selectedAt}
          version={version}
          onPick={select}
          onToggleLane={toggleLane}
          onProblem={report}
        />
        <div class="timeline-tools">
          <button
            type="button"
            class="icon-button"
            aria-label={playback.playing ? 'Pause the run' : 'Play the run'}
            onClick={playback.toggle}
          >
            <Icon name={playback.playing ? 'pause' : 'play'} />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Previous finding"
            onClick={() => findNext(-1)}
          >
            <Icon name="previous" />
          </button>
          <button type="button" class="icon-button" aria-label="Next finding" onClick={() => findNext(1)}>
            <Icon name="next" />
          </button>
          <span class="spacer" />
          <button type="button" class="icon-button" aria-label="Zoom out" onClick={() => zoom(2)}>
            <Icon name="minus" />
          </button>
          <button type="button" class="icon-button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
            <Icon name="plus" />
          </button>
          <button type="button" class="icon-button" aria-label="Show the whole run" onClick={fit}>
            <Icon name="fit" />
          </button>
        </div>
      </div>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div class="split">
        <section class="list-pane" aria-label="Records">
          <FilterBar
            place={place}
            overview={overview}
            canSearch={viewerDocument.value?.capabilities.search === true}
            onChange={(next) => change(next)}
          />
          <p class="list-note faint" role="status">
            {rows.total === null
              ? 'Searching…'
              : listNote(rows.total, rows.capped, overview.rows, isFiltered(place))}
            {pinned ? ' · following the end' : ''}
          </p>
          {rows.problem === null ? null : <ProblemNote problem={rows.problem} />}
          {rows.total === 0 ? (
            <Empty title="No record matches.">Change or clear the filter.</Empty>
          ) : (
            <RowList
              label="Records"
              count={rows.total ?? 0}
              rowPixels={ROW_PIXELS}
              selected={position}
              pinned={pinned}
              onRange={rows.want}
              onSelect={selectPosition}
              onUnpin={() => setPinned(false)}
              renderRow={(at) => <RowLine row={rows.row(at)} />}
            />
          )}
        </section>
        {place.row === null ? null : (
          <RecordPane
            item={item.id}
            row={place.row}
            version={version}
            onSelect={select}
            onClose={() => change({ row: null })}
          />
        )}
      </div>
    </div>
  )
}

function listNote(total: number, capped: boolean, all: number, filtered: boolean): string {
  if (!filtered) return plural(total, 'record')
  return `${capped ? 'at least ' : ''}${formatCount(total)} of ${plural(all, 'record')}`
}
