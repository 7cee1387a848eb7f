/**
 * What did this run do? The answer on one page: command, verdict, totals, findings, and what was called,
 * changed and started.
 */
import type { ComponentChildren } from 'preact'
import type { Lane, Listed, TapeOverview, ViewerItem } from '../../../protocol.ts'
import {
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  formatShort,
  formatWall,
  plural,
} from '../../data/format.ts'
import { goTo, timelineAt } from '../../model/location.ts'
import { useOverview } from '../../model/viewer.ts'
import { Chip, Section } from '../../parts/section.tsx'
import { Fetched } from '../../parts/states.tsx'
import { FindingsPanel } from './findings-panel.tsx'
import { RunStrip } from './run-strip.tsx'
import { Turns } from './turns.tsx'
import { VerdictChip } from './verdict-chip.tsx'

export function OverviewView({ item }: { readonly item: ViewerItem }) {
  return (
    <Fetched of={useOverview(item.id)} what="the overview">
      {(overview) => <Overview item={item.id} overview={overview} />}
    </Fetched>
  )
}

function Overview({ item, overview }: { readonly item: string; readonly overview: TapeOverview }) {
  const open = (row: number): void => goTo(timelineAt(item, row))
  return (
    <div class="overview">
      <header class="overview-head">
        <p class="eyebrow truncate" title={overview.path}>
          {overview.path}
        </p>
        <h1 class="command">
          {overview.command.length === 0 ? 'No command is stored' : overview.command.join(' ')}
        </h1>
        <div class="chips">
          <VerdictChip overview={overview} />
          <ExitChip overview={overview} />
          {overview.startedAtMs === null ? null : <Chip>{formatWall(overview.startedAtMs)}</Chip>}
          <Chip>{overview.origin.writer}</Chip>
          {overview.origin.node === null ? null : <Chip>Node {overview.origin.node.replace(/^v/, '')}</Chip>}
          <Chip>{`${formatBytes(overview.sizeBytes)} · ${plural(overview.records, 'record')}`}</Chip>
        </div>
      </header>
      <FindingsPanel findings={overview.findings} onOpen={open} />
      <Tiles item={item} overview={overview} />
      {overview.rows === 0 ? null : <RunStrip item={item} overview={overview} />}
      <div class="overview-columns">
        <div>
          <Turns llm={overview.llm} onOpen={open} />
          <Listing title="Processes" list={overview.processes} keyOf={(process) => process.row}>
            {(process) => (
              <button type="button" class="line" onClick={() => open(process.row)}>
                <code class="truncate grow">{process.command}</code>
                <ExitMark code={process.exitCode} signal={process.signal} />
                <span class="number muted">{formatDuration(process.durationMs)}</span>
              </button>
            )}
          </Listing>
          <Listing title="Terminals" list={overview.terminals} keyOf={(terminal) => terminal.row}>
            {(terminal) => (
              <button
                type="button"
                class="line"
                onClick={() =>
                  terminal.item === null
                    ? open(terminal.row)
                    : goTo({ view: 'terminal', item: terminal.item, at: null })
                }
              >
                <code class="truncate grow">{terminal.command}</code>
                <ExitMark code={terminal.exitCode} signal={null} />
                <span class="number muted">{formatMoment(terminal.atMs)}</span>
              </button>
            )}
          </Listing>
        </div>
        <div>
          <Listing title="Tools called" list={overview.tools} keyOf={(tool) => `${tool.by} ${tool.name}`}>
            {(tool) => (
              <div class="line">
                <code class="truncate grow">{tool.name}</code>
                <span class="faint">{tool.by === 'mcp' ? 'MCP' : 'model'}</span>
                {tool.errors > 0 ? <Chip tone="bad">{formatCount(tool.errors)} failed</Chip> : null}
                <span class="number">{formatCount(tool.calls)}</span>
              </div>
            )}
          </Listing>
          <Listing title="Files changed" list={overview.files} keyOf={(file) => file.path}>
            {(file) => (
              <button type="button" class="line" onClick={() => open(file.row)}>
                <code class="truncate grow">{file.path}</code>
                {file.deleted ? <Chip tone="bad">deleted</Chip> : null}
                {file.sizeBytes === null || file.deleted ? null : (
                  <span class="number muted">{formatBytes(file.sizeBytes)}</span>
                )}
              </button>
            )}
          </Listing>
          <Listing title="MCP servers" list={overview.mcpServers} keyOf={(server) => server.server}>
            {(server) => <CountLine name={server.server} count={server.calls} errors={server.errors} />}
          </Listing>
          <Listing title="Hosts" list={overview.hosts} keyOf={(host) => host.host}>
            {(host) => <CountLine name={host.host} count={host.exchanges} errors={host.errors} />}
          </Listing>
          {overview.boundaries.length === 0 ? null : (
            <Section title="Boundaries" note={formatCount(overview.boundaries.length)}>
              <ul class="boundaries">
                {overview.boundaries.map(({ name, state }) => (
                  <li key={name}>
                    <Chip tone={boundaryTone(state)}>
                      {name} <span class="faint">{state.replaceAll('_', ' ')}</span>
                    </Chip>
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
      </div>
    </div>
  )
}

function Tiles({ item, overview }: { readonly item: string; readonly overview: TapeOverview }) {
  const { llm } = overview
  const show = (lanes: readonly Lane[]): void => goTo({ ...timelineAt(item), lanes })
  const tokens = `${formatShort(llm.inputTokens)} in · ${formatShort(llm.outputTokens)} out`
  return (
    <ul class="tiles">
      <Tile
        label="Duration"
        value={formatDuration(overview.durationMs)}
        note={`${formatDuration(llm.durationMs)} in models`}
        onClick={() => show([])}
      />
      <Tile
        label="Model calls"
        value={formatCount(llm.calls)}
        note={llm.costUsd === null ? tokens : `${tokens} · ${formatCost(llm.costUsd)}`}
        bad={llm.errors > 0 ? `${formatCount(llm.errors)} failed` : null}
        onClick={() => show(['llm'])}
      />
      <Tile
        label="Tools"
        value={formatCount(total(overview.tools))}
        note={plural(sum(overview.tools.items, 'calls'), 'call')}
        onClick={() => show(['llm', 'mcp'])}
      />
      <Tile
        label="Files changed"
        value={formatCount(total(overview.files))}
        note={plural(sum(overview.files.items, 'writes'), 'write')}
        onClick={() => show(['files'])}
      />
      <Tile
        label="Processes"
        value={formatCount(total(overview.processes))}
        note={plural(total(overview.terminals), 'terminal')}
        onClick={() => show(['processes'])}
      />
      <Tile
        label="Gaps"
        value={formatCount(overview.gaps)}
        note={plural(overview.notes, 'note')}
        bad={overview.gaps > 0 ? 'crossed unrecorded' : null}
        onClick={() => show(['findings'])}
      />
      <Tile label="Secrets masked" value={formatCount(overview.secretsMasked)} note="never written" />
    </ul>
  )
}

type TileProps = {
  readonly label: string
  readonly value: string
  readonly note: string
  readonly bad?: string | null
  readonly onClick?: () => void
}

function Tile({ label, value, note, bad = null, onClick }: TileProps) {
  const inside = (
    <>
      <span class="tile-label">{label}</span>
      <span class={bad === null ? 'tile-value' : 'tile-value bad'}>{value}</span>
      <span class="tile-note truncate">{bad ?? note}</span>
    </>
  )
  return (
    <li>
      {onClick === undefined ? (
        <div class="tile">{inside}</div>
      ) : (
        <button type="button" class="tile" onClick={onClick}>
          {inside}
        </button>
      )}
    </li>
  )
}

type ListingProps<T> = {
  readonly title: string
  readonly list: Listed<T>
  readonly keyOf: (entry: T) => string | number
  readonly children: (entry: T) => ComponentChildren
}

function Listing<T>({ title, list, keyOf, children }: ListingProps<T>) {
  if (list.items.length === 0) return null
  return (
    <Section title={title} note={formatCount(total(list))}>
      <ul class="lines">
        {list.items.map((entry) => (
          <li key={keyOf(entry)}>{children(entry)}</li>
        ))}
      </ul>
      {list.more > 0 ? <p class="faint">and {formatCount(list.more)} more</p> : null}
    </Section>
  )
}

function CountLine({
  name,
  count,
  errors,
}: {
  readonly name: string
  readonly count: number
  readonly errors: number
}) {
  return (
    <div class="line">
      <code class="truncate grow">{name}</code>
      {errors > 0 ? <Chip tone="bad">{formatCount(errors)} failed</Chip> : null}
      <span class="number">{formatCount(count)}</span>
    </div>
  )
}

function ExitMark({ code, signal }: { readonly code: number | null; readonly signal: string | null }) {
  if (signal !== null) return <Chip tone="bad">{signal}</Chip>
  if (code === null) return <span class="faint">no exit</span>
  return code === 0 ? <span class="ok-text">exit 0</span> : <Chip tone="bad">exit {code}</Chip>
}

function ExitChip({ overview: { exit } }: { readonly overview: TapeOverview }) {
  if (exit === null) return null
  if (exit.signal !== null) return <Chip tone="bad">ended by {exit.signal}</Chip>
  return <Chip tone={exit.code === 0 ? 'ok' : 'bad'}>exit {exit.code ?? 'unknown'}</Chip>
}

function boundaryTone(state: string): 'plain' | 'ok' | 'warn' {
  if (state === 'captured') return 'ok'
  return state === 'passed_through' || state === 'unknown' ? 'warn' : 'plain'
}

function total<T>(list: Listed<T>): number {
  return list.items.length + list.more
}

function sum<K extends string>(entries: readonly Readonly<Record<K, number>>[], name: K): number {
  return entries.reduce((before, entry) => before + entry[name], 0)
}
