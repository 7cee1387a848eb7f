/**
 * The frame around every view: what is open, where in it, theme, help, and whether new records still arrive.
 */

import type { ViewerItem, ViewerLocation } from '../protocol.ts'
import { helpOpen } from './model/help.ts'
import { goTo, location, timelineAt } from './model/location.ts'
import { currentItem, growth, items, lost, viewerDocument } from './model/viewer.ts'
import { Help } from './parts/help.tsx'
import { Icon } from './parts/icons.tsx'
import { Empty } from './parts/states.tsx'
import { ThemeButton } from './parts/theme-button.tsx'
import { lazyView } from './views/lazy-view.tsx'
import { OverviewView } from './views/overview/overview-view.tsx'
import { TimelineView } from './views/timeline/timeline-view.tsx'

const TerminalView = lazyView(() => import('./views/terminal/terminal-view.tsx'), 'the terminal')
const AuditView = lazyView(() => import('./views/audit/audit-view.tsx'), 'the audit')
const StateView = lazyView(() => import('./views/state/state-view.tsx'), 'the state')
const CompareView = lazyView(() => import('./views/compare/compare-view.tsx'), 'the comparison')

export function App() {
  return (
    <div class="app">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar />
      <Notices />
      <main id="main" tabIndex={-1}>
        <CurrentView />
      </main>
      {helpOpen.value ? <Help /> : null}
    </div>
  )
}

function CurrentView() {
  const item = currentItem.value
  const place = location.value
  if (item === null) return <Empty title="Nothing is open." />
  if (place.view === 'compare' || (place.view === 'start' && viewerDocument.value?.comparison !== null)) {
    return <CompareView at={place.view === 'compare' ? place.at : null} />
  }
  switch (item.type) {
    case 'cassette':
      return <TerminalView key={item.id} item={item} at={place.view === 'terminal' ? place.at : null} />
    case 'journal':
      return <AuditView key={item.id} item={item} at={place.view === 'audit' ? place.at : null} />
    case 'state':
      return <StateView key={item.id} item={item} place={place.view === 'state' ? place : null} />
    case 'tape':
      return place.view === 'timeline' ? (
        <TimelineView key={item.id} item={item} place={place} />
      ) : (
        <OverviewView key={item.id} item={item} />
      )
  }
}

function TopBar() {
  const item = currentItem.value
  return (
    <header class="top-bar">
      <a class="brand" href="#/" aria-label="Reprise, start">
        <Mark />
        <span class="brand-name">Reprise</span>
      </a>
      <ItemChoice />
      <nav class="tab-links" aria-label="Views">
        {item === null ? null : linksFor(item).map((link) => <ViewLink key={link.title} {...link} />)}
      </nav>
      <span class="spacer" />
      {item === null || growth.value.get(item.id)?.state !== 'growing' || lost.value !== null ? null : (
        <span class="live" role="status">
          <span class="live-dot" />
          live
        </span>
      )}
      <ThemeButton />
      <button
        type="button"
        class="icon-button"
        aria-label="Help: keys"
        onClick={() => {
          helpOpen.value = true
        }}
      >
        <Icon name="help" />
      </button>
    </header>
  )
}

type Link = { readonly title: string; readonly to: ViewerLocation; readonly current: boolean }

function linksFor(item: ViewerItem): readonly Link[] {
  const place = location.value
  const comparison = viewerDocument.value?.comparison ?? null
  const compares = comparison !== null && (place.view === 'compare' || place.view === 'start')
  const compare: Link[] =
    comparison === null ? [] : [{ title: 'Compare', to: { view: 'compare', at: null }, current: compares }]
  switch (item.type) {
    case 'tape':
      return [
        ...compare,
        {
          title: 'Overview',
          to: { view: 'overview', item: item.id },
          current: !compares && place.view !== 'timeline',
        },
        { title: 'Timeline', to: timelineAt(item.id), current: place.view === 'timeline' },
      ]
    case 'cassette': {
      const tape = items.value.find(({ id }) => id === item.parent)
      const back: Link[] =
        tape === undefined ? [] : [{ title: 'Timeline', to: timelineAt(tape.id), current: false }]
      return [
        ...back,
        { title: 'Terminal', to: { view: 'terminal', item: item.id, at: null }, current: true },
      ]
    }
    case 'journal':
      return [{ title: 'Audit', to: { view: 'audit', item: item.id, at: null }, current: true }]
    case 'state':
      return [
        {
          title: 'State',
          to: { view: 'state', item: item.id, session: null, key: null, version: null },
          current: true,
        },
      ]
  }
}

function ViewLink({ title, to, current }: Link) {
  return (
    <button
      type="button"
      class="tab-link"
      aria-current={current ? 'page' : undefined}
      onClick={() => goTo(to)}
    >
      {title}
    </button>
  )
}

function ItemChoice() {
  const item = currentItem.value
  if (item === null) return null
  if (items.value.length === 1) {
    return (
      <span class="item-name truncate" title={item.path}>
        {item.name}
      </span>
    )
  }
  const open = (id: string): void => {
    const next = items.value.find((candidate) => candidate.id === id)
    if (next !== undefined) goTo(startOf(next))
  }
  return (
    <select
      class="item-choice"
      aria-label="Open item"
      value={item.id}
      onChange={(event) => open(event.currentTarget.value)}
    >
      {items.value.map((entry) => (
        <option key={entry.id} value={entry.id}>
          {entry.parent === null ? entry.name : `↳ ${entry.name}`}
        </option>
      ))}
    </select>
  )
}

function startOf(item: ViewerItem): ViewerLocation {
  switch (item.type) {
    case 'tape':
      return { view: 'overview', item: item.id }
    case 'cassette':
      return { view: 'terminal', item: item.id, at: null }
    case 'journal':
      return { view: 'audit', item: item.id, at: null }
    case 'state':
      return { view: 'state', item: item.id, session: null, key: null, version: null }
  }
}

function Notices() {
  const leftOut = viewerDocument.value?.capabilities.left_out ?? []
  return (
    <>
      {lost.value === null ? null : (
        <p class="notice notice-bad" role="alert">
          {lost.value}
        </p>
      )}
      {leftOut.length === 0 ? null : (
        <p class="notice">This export does not contain: {leftOut.join(', ')}.</p>
      )}
    </>
  )
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path class="mark-thick" d="M4 3v14" />
      <path class="mark-thin" d="M8 3v14" />
      <circle class="mark-dot" cx="13" cy="7" r="2" />
      <circle class="mark-dot" cx="13" cy="13" r="2" />
    </svg>
  )
}
