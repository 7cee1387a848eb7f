/**
 * Filters of the record list: text, kinds, phase, the visible range, record numbers. Every one of them is in
 * the address.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TapeOverview } from '../../../protocol.ts'
import { formatCount } from '../../data/format.ts'
import { LANE_NAMES } from '../../data/lanes.ts'
import type { TimelineLocation } from '../../model/location.ts'
import { Icon } from '../../parts/icons.tsx'

const TYPING_MS = 200

export type FilterBarProps = {
  readonly place: TimelineLocation
  readonly overview: TapeOverview
  readonly canSearch: boolean
  readonly onChange: (change: Partial<TimelineLocation>) => void
}

export function FilterBar({ place, overview, canSearch, onChange }: FilterBarProps) {
  return (
    <form class="filter-bar" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      {canSearch ? <TextFilter text={place.text} onChange={(text) => onChange({ text })} /> : null}
      <KindFilter place={place} overview={overview} onChange={onChange} />
      <select
        aria-label="Phase"
        value={place.phase ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ phase: value === 'user_script' || value === 'runtime_finalize' ? value : null })
        }
      >
        <option value="">Whole run</option>
        <option value="user_script">Program</option>
        <option value="runtime_finalize">Ending</option>
      </select>
      <RowRange place={place} onChange={onChange} />
      <label class="check">
        <input
          type="checkbox"
          checked={place.inRange}
          onChange={(event) => onChange({ inRange: event.currentTarget.checked })}
        />
        Visible time only
      </label>
      {isFiltered(place) ? (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            onChange({
              text: '',
              kinds: [],
              lanes: [],
              phase: null,
              inRange: false,
              fromRow: null,
              toRow: null,
            })
          }
        >
          Clear
        </button>
      ) : null}
    </form>
  )
}

export function isFiltered(place: TimelineLocation): boolean {
  const { text, kinds, lanes, phase, inRange, fromRow, toRow } = place
  return (
    text !== '' ||
    kinds.length > 0 ||
    lanes.length > 0 ||
    phase !== null ||
    inRange ||
    fromRow !== null ||
    toRow !== null
  )
}

function TextFilter({
  text,
  onChange,
}: {
  readonly text: string
  readonly onChange: (text: string) => void
}) {
  const [typed, setTyped] = useState(text)
  const sent = useRef(text)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const stop = (): void => {
    if (timer.current !== null) clearTimeout(timer.current)
  }
  // A text that did not come from here (a link, "Clear") replaces what is being typed.
  useEffect(() => {
    if (text === sent.current) return
    sent.current = text
    stop()
    setTyped(text)
  }, [text])
  useEffect(() => stop, [])
  const type = (next: string): void => {
    setTyped(next)
    stop()
    timer.current = setTimeout(() => {
      sent.current = next
      onChange(next)
    }, TYPING_MS)
  }
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        placeholder="Search text"
        aria-label="Search text in records and payloads"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <kbd>/</kbd>
    </div>
  )
}

function KindFilter({ place, overview, onChange }: Pick<FilterBarProps, 'place' | 'overview' | 'onChange'>) {
  const box = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeOutside = (event: Event): void => {
      if (box.current?.open === true && event.target instanceof Node && !box.current.contains(event.target))
        box.current.open = false
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [])
  const toggle = (kind: string): void =>
    onChange({
      kinds: place.kinds.includes(kind)
        ? place.kinds.filter((name) => name !== kind)
        : [...place.kinds, kind],
    })
  const chosen = place.kinds.length === 0 ? 'All kinds' : place.kinds.join(', ')
  return (
    <details ref={box} class="menu">
      <summary class="button truncate">{chosen}</summary>
      <div class="menu-list">
        {overview.kinds.map(({ kind, lane, count }) => (
          <label key={kind} class="check" data-lane={lane} title={LANE_NAMES[lane]}>
            <input type="checkbox" checked={place.kinds.includes(kind)} onChange={() => toggle(kind)} />
            <span class="dot" />
            <code class="truncate">{kind}</code>
            <span class="faint number">{formatCount(count)}</span>
          </label>
        ))}
      </div>
    </details>
  )
}

function RowRange({ place, onChange }: Pick<FilterBarProps, 'place' | 'onChange'>) {
  const field = (label: string, value: number | null, set: (value: number | null) => void) => (
    <input
      type="number"
      min={0}
      class="number-field"
      placeholder={label}
      aria-label={label === 'from' ? 'First record number' : 'Last record number'}
      value={value ?? ''}
      onInput={({ currentTarget: { value: text } }) =>
        set(text === '' ? null : Math.max(0, Math.floor(Number(text))))
      }
    />
  )
  return (
    <span class="row-range">
      <span class="faint">#</span>
      {field('from', place.fromRow, (fromRow) => onChange({ fromRow }))}
      <span class="faint">–</span>
      {field('to', place.toRow, (toRow) => onChange({ toRow }))}
    </span>
  )
}
