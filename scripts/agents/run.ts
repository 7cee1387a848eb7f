/**
 * `npm run agents`: tries every agent of the list on every Node that it allows, and writes docs/agents.md.
 * Words choose agents by a part of their names, `--node 24` one version of Node, `--first` only the first
 * version that an agent allows. Results are kept in the cache, so that the table can be made in pieces;
 * `--page` writes it from what is there.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { modelCallsOf, type Tried, tryAgent } from './drive.ts'
import { type AgentRow, agents } from './list.ts'

const { values, positionals } = parseArgs({
  options: {
    node: { type: 'string' },
    first: { type: 'boolean' },
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
}

const file = join(cache, 'results.json')
const rows: Row[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
const tried: Row[] = []
for (const agent of values.page === true ? [] : agents) {
  if (positionals.length > 0 && !positionals.some((part) => agent.name.includes(part))) continue
  const allowed =
    values.node === undefined ? agent.nodes : agent.nodes.filter((node) => String(node) === values.node)
  for (const node of values.first === true ? allowed.slice(0, 1) : allowed) {
    const { agent: _agent, summary, ...result } = await tryAgent(agent, node, cache)
    const numbers = { records: summary?.records ?? 0, calls: summary === null ? 0 : modelCallsOf(summary) }
    const row = { name: agent.name, ...result, ...numbers }
    tried.push(row)
    const others = rows.filter((each) => each.name !== row.name || each.node !== row.node)
    rows.splice(0, rows.length, ...others, row)
    writeFileSync(file, JSON.stringify(rows))
    console.log(rowOf(agent, [row]))
  }
}
if (values.page === true || positionals.length === 0)
  writeFileSync(new URL('../../docs/agents.md', import.meta.url), page())
process.exitCode = tried.some(({ verdict }) => verdict === 'diverged' || verdict === 'not recorded') ? 1 : 0

function page(): string {
  return [
    '# Agents of others',
    '',
    'Agents that other people wrote, each recorded against `@copilotkit/aimock` with a task that uses a tool, and replayed three times with the',
    'model stopped and no network (`unshare -n`), with the tapes of all Node children (`replay --tree`). Written by `npm run agents`, which',
    'installs the pinned versions into a temporary folder. Column Node: the versions on which it was tried, each with the same result.',
    'Times are medians of the first of them, and include the start of the agent. Model calls are those on the tape and on the tapes of its children.',
    '',
    '| agent | version | Node | task | records | model calls | replay | verdict | reason |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...agents.flatMap((agent) =>
      groups(rows.filter(({ name }) => name === agent.name)).map((group) => rowOf(agent, group)),
    ),
    '',
  ].join('\n')
}

/** Results that are equal but for the Node are one row. */
function groups(results: readonly Row[]): Row[][] {
  const known = new Map<string, Row[]>()
  for (const row of [...results].sort((a, b) => a.node - b.node)) {
    const key = `${row.verdict} ${row.reason} ${row.calls}`
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
  ]
  return `| ${cells.join(' | ')} |`
}
