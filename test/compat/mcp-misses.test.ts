/**
 * A call that is not on the tape, as the SDK's client sees it: its own error for that one call, with the
 * number -32080; the conversation goes on.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { everything, startEverything } from './mcp/everything-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(['stdio', 'streamableHttp', 'sse'] as const)('%s', async (transport) => {
  const folder = tempFolder()
  const [tape, report, message] = [
    join(folder, 'run.tape'),
    join(folder, 'report.json'),
    join(folder, 'message.mjs'),
  ]
  const server = transport === 'stdio' ? null : await startEverything(transport)
  const env = {
    ...process.env,
    MCP_SERVER: server?.url ?? '',
    MCP_TRANSPORT: transport,
    MCP_EVERYTHING: everything,
  }
  writeFileSync(message, `export const message = 'as recorded'`)
  const recorded = await reprise(
    ['record', '--out', tape, '--', process.execPath, 'test/compat/mcp/changed.mjs', message],
    { cwd: root, env },
  )
  await server?.stop()
  expect(recorded).toMatchObject({ code: 0, stderr: '' })

  writeFileSync(message, `export const message = 'another'`)
  const replayed = await reprise(['replay', tape, '--report', report], { cwd: root })
  expect(replayed.code).toBe(2)
  const [before, changed, after] = replayed.stdout.split('\n')
  const lines = recorded.stdout.split('\n')
  expect([before, after]).toEqual([lines[0], lines[2]])
  expect(changed).toMatch(
    /^changed failed McpError -32080 MCP error -32080: Replay diverged .*differs at \$\.params\.arguments\.message$/,
  )
  const { verdict, divergences } = JSON.parse(readFileSync(report, 'utf8'))
  expect(verdict).toBe('diverged')
  expect(divergences[0]).toMatchObject({ category: 'unmatched', path: '$.params.arguments.message' })
  expect(divergences[0].message).toContain('tools/call echo')
})
