/** Four agents of the table in docs/agents.md, installed, recorded and replayed without a network. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tryAgent } from '../../scripts/agents/drive.ts'
import { agents } from '../../scripts/agents/list.ts'

test.each(['AI SDK', 'LangGraph', 'grok-cli', 'continue'])(
  '%s is faithful',
  async (name) => {
    const agent = agents.find((each) => each.name === name)
    if (agent === undefined) throw new Error(`no agent ${name} in the list`)
    const tried = await tryAgent(agent, 20, join(tmpdir(), 'reprise-agents-table'))
    expect(tried).toMatchObject({ verdict: 'faithful', reason: '', summary: { sealed: true, gaps: [] } })
    expect(tried.summary?.modelCalls).toBe(2)
  },
  600_000,
)
