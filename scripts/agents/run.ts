/**
 * `npm run agents`: tries every agent of the list on every Node that it allows, and writes docs/agents.md.
 * Words choose agents by a part of their names, `--node 24` one version of Node, `--first` only the first
 * version that an agent allows. Each result is kept in the cache at once, so that the table can be made in
 * pieces: `--before '2026-11-17 17:00'` (UTC) tries only what has no result since then, so a run that was
 * killed continues with the row that it had begun. `--page` writes the page from what is there. An agent and
 * a Node that are not in the cache keep their row of the page, with the time at which it was measured.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { modelCallsOf, type Tried, tryAgent } from './drive.ts'
import { type AgentRow, agents } from './list.ts'

const { values, positionals } = parseArgs({
  options: {
    node: { type: 'string' },
    first: { type: 'boolean' },
    before: { type: 'string' },
    cache: { type: 'string' },
    page: { type: 'boolean' },
  },
  allowPositionals: true,
})
const cache = values.cache ?? join(tmpdir(), 'reprise-agents-table')
mkdirSync(cache, { recursive: true })

type Row = Omit<Tried, 'agent' | 'summary'> & {
  readonly name: string
  readonly records: number
  readonly calls: number
  /** When the agent ran, in UTC, and the load of the machine. */
  readonly measured: string
}

const file = join(cache, 'results.json')
const rows: Row[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
const pageUrl = new URL('../../docs/agents.md', import.meta.url)
const tried: Row[] = []
const { before } = values
for (const agent of values.page === true ? [] : agents) {
  if (positionals.length > 0 && !positionals.some((part) => agent.name.includes(part))) continue
  const allowed =
    values.node === undefined ? agent.nodes : agent.nodes.filter((node) => String(node) === values.node)
  for (const node of values.first === true ? allowed.slice(0, 1) : allowed) {
    if (before !== undefined && isMeasuredSince(before, agent.name, node)) continue
    const { agent: _agent, summary, ...result } = await tryAgent(agent, node, cache)
    const numbers = { records: summary?.records ?? 0, calls: summary === null ? 0 : modelCallsOf(summary) }
    const row = { name: agent.name, ...result, ...numbers, measured: measuredNow() }
    tried.push(row)
    const others = rows.filter((each) => each.name !== row.name || each.node !== row.node)
    rows.splice(0, rows.length, ...others, row)
    writeFileSync(file, JSON.stringify(rows))
    console.log(rowOf(agent, [row]))
  }
}
if (values.page === true || positionals.length === 0) writeFileSync(pageUrl, page())
process.exitCode = tried.some(({ verdict }) => verdict === 'diverged' || verdict === 'not recorded') ? 1 : 0

/** Times are written so that they sort as text. */
function isMeasuredSince(time: string, name: string, node: number): boolean {
  const row = [...rows, ...rowsOfPage(readFileSync(pageUrl, 'utf8'))].find(
    (each) => each.name === name && each.node === node,
  )
  return row !== undefined && row.verdict !== 'not recorded' && row.measured >= time
}

function measuredNow(): string {
  const time = new Date().toISOString().slice(0, 16).replace('T', ' ')
  return `${time}, load ${Math.round(loadavg()[0] ?? 0)}`
}

/** The results that the page has now, one for each Node. */
function rowsOfPage(text: string): Row[] {
  return text.split('\n').flatMap((line): Row[] => {
    const [, name = '', , nodes = '', , records, calls, replay = '', verdict, reason = '', measured = ''] =
      line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    if (!agents.some((agent) => agent.name === name)) return []
    const numbers = {
      records: Number(records) || 0,
      calls: Number(calls),
      replayMs: parseFloat(replay) * 1000,
    }
    const found = { verdict: verdict as Row['verdict'], reason: reason.replaceAll('\\|', '|'), measured }
    return nodes.split(', ').map((node) => ({ name, node: Number(node), ...numbers, ...found }))
  })
}

function page(): string {
  const older = rowsOfPage(readFileSync(pageUrl, 'utf8')).filter(
    ({ name, node }) => !rows.some((row) => row.name === name && row.node === node),
  )
  const all = [...older, ...rows]
  return [
    '# Agents of others',
    '',
    'Agents that other people wrote, each recorded against `@copilotkit/aimock` with a task that uses a tool, and replayed three times with the',
    'model stopped and no network (`unshare -n`), with the tapes of all Node children (`replay --tree`). Written by `npm run agents`, which',
    'installs the pinned versions into a temporary folder. Column Node: the versions on which it was tried, each with the same result.',
    'Times are medians of the first of them, and include the start of the agent. Model calls are those on the tape and on the tapes of its children.',
    'Column measured: the time in UTC, and the load of the machine (two cores) where it was noted. A replay takes longer under load.',
    '',
    '| agent | version | Node | task | records | model calls | replay | verdict | reason | measured |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...agents.flatMap((agent) =>
      groups(all.filter(({ name }) => name === agent.name)).map((group) => rowOf(agent, group)),
    ),
    '',
  ].join('\n')
}

/** Results of one hour that are equal but for the Node are one row. */
function groups(results: readonly Row[]): Row[][] {
  const known = new Map<string, Row[]>()
  for (const row of [...results].sort((a, b) => a.node - b.node)) {
    const key = `${row.verdict} ${row.reason} ${row.calls} ${row.measured.slice(0, 13)}`
    known.set(key, [...(known.get(key) ?? []), row])
  }
  return [...known.values()]
}

function rowOf(agent: AgentRow, results: readonly Row[]): string {
  const [first] = results
  if (first === undefined) return ''
  const version = agent.packages[0]?.split('@').at(-1) ?? ''
  const nodes = results.map(({ node }) => node).join(', ')
  const numbers = [first.records || '–', first.calls, `${(first.replayMs / 1000).toFixed(1)} s`]
  const cells = [
    agent.name,
    version,
    nodes,
    agent.task,
    ...numbers,
    first.verdict,
    first.reason.replaceAll('|', '\\|'),
    first.measured,
  ]
  return `| ${cells.join(' | ')} |`
}
