/** Edits of calls of MCP, checked by what the program prints. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { type ForkedAgent, recordForkedAgent } from '../support/forked-agent.ts'
import { tempFolder } from '../support/temp-folder.ts'

let agent: ForkedAgent
beforeAll(async () => {
  agent = await recordForkedAgent()
}, 60_000)
afterAll(() => agent.stop())

type Kind = { readonly kind: string; readonly [name: string]: unknown }

function seqOf(wanted: (kind: Kind) => boolean): number {
  const lines = readFileSync(agent.tape, 'utf8').trimEnd().split('\n').slice(1)
  const found = lines
    .map((line): { seq: number; kind: Kind } => JSON.parse(line))
    .find(({ kind }) => wanted(kind))
  if (found === undefined) throw new Error('no such record')
  return found.seq
}

const call = (): number => seqOf((kind) => kind.kind === 'mcp_json_rpc' && kind.method === 'tools/call')

async function whatIf(edit: string, ...options: readonly string[]) {
  const out = join(tempFolder(), 'new.tape')
  const made = await reprise(['what-if', agent.tape, '--out', out, '--set', edit, ...options], {
    cwd: agent.folder,
  })
  return { ...made, out }
}

/** The lines that differ from the recorded run. */
async function changes(edit: string, ...options: readonly string[]): Promise<readonly string[]> {
  const made = await whatIf(edit, ...options)
  const recorded = (await reprise(['replay', agent.tape], { cwd: agent.folder })).stdout.split('\n')
  const replayed = await reprise(['replay', made.out], { cwd: agent.folder })
  expect(replayed, replayed.stderr).toMatchObject({ code: made.code, stdout: made.stdout, stderr: '' })
  return made.stdout.split('\n').filter((line, at) => line !== recorded[at])
}

test.each([
  ['an error of the server', '{"mcpError":{"code":-32000,"message":"no"}}', 'sum -32000'],
  ['another result', '{"json":{"$.result.content[0].text":"edited"}}', 'sum edited'],
])(
  '%s',
  async (_name, edit, line) => {
    expect(await changes(`${call()}=${edit}`)).toEqual([line])
  },
  60_000,
)

test('a late answer changes nothing but the clock', async () => {
  expect(await changes(`${call()}={"delayMs":500}`)).toEqual([])
}, 60_000)

test.each(['{"status":500}', '{"text":"x"}', '{"errno":"ENOENT"}'])('%s does not fit', async (edit) => {
  const made = await whatIf(`${call()}=${edit}`)
  expect(made).toMatchObject({ code: 64, stdout: '' })
  expect(made.stderr).toContain('it fits')
})
