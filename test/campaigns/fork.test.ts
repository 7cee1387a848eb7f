/**
 * Forks at every record of a tape with streaming model calls, an MCP server, subprocesses, files, timers and
 * parallel calls, against a local model server: on Node 20 at every record, on the others at every tenth. Each
 * fork's tape replays faithfully alone, no request of before the record reaches the server, and no file of the
 * user changes.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { type ForkedAgent, forkAgent, recordForkedAgent } from '../support/forked-agent.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

const LIVE = ['llm', 'llm,mcp', 'network,mcp,files', 'llm,process', 'llm,mcp,process,files', 'all'] as const

const nodes: readonly [version: number, share: number, short: number][] = [
  [20, 1, 1],
  [22, 10, 0],
  [24, 10, 0],
  [26, 10, 1],
]

test.each(nodes)('a fork on Node %i replays alone', async (version, share, short) => {
  const node = version === 20 ? process.execPath : newerNode(`node${version}`)
  if (node === null) throw new Error(`Node ${version} is not installed`)
  const agent = await recordForkedAgent(node)
  try {
    expect(agent.records).toBeGreaterThan(200)
    const figure = scaled(Math.ceil(agent.records / share), short)
    const failures: string[] = []
    const step = agent.records / Math.max(figure, 1)
    for (let cell = 0; cell < figure; cell += 1) {
      const at = 1 + Math.floor(cell * step + (campaignSeed % Math.floor(step)))
      const live = LIVE[(cell + campaignSeed) % LIVE.length] ?? 'llm'
      const wrong = await faultsOf(agent, at, live)
      if (wrong.length > 0) failures.push(`--at ${at} --live ${live}: ${wrong.join('; ')}`)
    }
    expect(failures).toEqual([])
  } finally {
    await agent.stop()
  }
})

async function faultsOf(agent: ForkedAgent, at: number, live: string): Promise<readonly string[]> {
  const needsFolder = live.includes('process') || live === 'all'
  const options = needsFolder ? ['--sandbox', join(tempFolder(), 'sandbox')] : []
  const { forked, replayed, requests, changed } = await forkAgent(agent, at, live, ...options)
  const before = new Set(agent.requestsUpTo(at))
  const early = requests.filter((request) => before.has(request))
  return [
    ...(forked.stderr.includes(`live after record ${at}`) ? [] : [`was never live: ${forked.stderr}`]),
    ...(replayed.code === forked.code
      ? []
      : [`ended with ${forked.code}, its replay with ${replayed.code}: ${replayed.stderr}`]),
    ...(replayed.stdout === forked.stdout
      ? []
      : [`printed something else in its replay: ${replayed.stderr}`]),
    ...(early.length === 0 ? [] : [`sent ${early.join(', ')}, which is before the record`]),
    ...(new Set(requests).size === requests.length ? [] : ['sent a request twice']),
    ...(changed ? ['changed a file of the user'] : []),
  ]
}
