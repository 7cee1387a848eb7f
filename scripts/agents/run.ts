/**
 * `npm run agents`: tries every agent of the list on every Node that it allows, and writes docs/agents.md.
 * Words choose agents by a part of their names, `--node 24` one version of Node, `--first` only the first
 * version that an agent allows.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Tried, tryAgent } from './drive.ts'
import { agents } from './list.ts'

const { values, positionals } = parseArgs({
  options: { node: { type: 'string' }, first: { type: 'boolean' }, cache: { type: 'string' } },
  allowPositionals: true,
})
const cache = values.cache ?? join(tmpdir(), 'reprise-agents-table')
mkdirSync(cache, { recursive: true })

const tried: Tried[] = []
for (const agent of agents) {
  if (positionals.length > 0 && !positionals.some((part) => agent.name.includes(part))) continue
  const allowed =
    values.node === undefined ? agent.nodes : agent.nodes.filter((node) => String(node) === values.node)
  for (const node of values.first === true ? allowed.slice(0, 1) : allowed) {
    const one = await tryAgent(agent, node, cache)
    tried.push(one)
    console.log(rowOf(one))
  }
}
if (positionals.length === 0) writeFileSync(new URL('../../docs/agents.md', import.meta.url), pageOf(tried))
process.exitCode = tried.some(({ verdict }) => verdict === 'diverged' || verdict === 'not recorded') ? 1 : 0

function pageOf(rows: readonly Tried[]): string {
  return [
    '# Agents of others',
    '',
    'Agents that other people wrote, each recorded against `@copilotkit/aimock` with a task that uses a tool, and replayed three times with the',
    'model stopped and no network (`unshare -n`). Written by `npm run agents`, which installs the pinned versions into a temporary folder.',
    'Times are medians, and include the start of the agent. Model calls are those on the tape: an agent that is a child process of',
    'the recorded one (claude-agent-sdk) makes its calls itself, and the tape has what it reported to its parent.',
    '',
    '| agent | version | Node | task | records | model calls | replay | verdict | reason |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(rowOf),
    '',
  ].join('\n')
}

function rowOf({ agent, node, summary, replayMs, verdict, reason }: Tried): string {
  const version = agent.packages[0]?.split('@').at(-1) ?? ''
  const numbers = [summary?.records ?? '–', summary?.modelCalls ?? '–', `${(replayMs / 1000).toFixed(1)} s`]
  const cells = [agent.name, version, node, agent.task, ...numbers, verdict, reason.replaceAll('|', '\\|')]
  return `| ${cells.join(' | ')} |`
}
