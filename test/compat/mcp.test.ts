/**
 * The MCP SDK's client against real servers, recorded through the built command line and replayed with the
 * server dead: what the client saw, answers, notifications, progress, requests of the server and their order,
 * is the same.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Kind, type KindName, readTapeEvents, verifyTape } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { everything, filesystem, startEverything, startFilesystem } from './mcp/everything-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const CALLS = {
  initialize: 1,
  ping: 1,
  'logging/setLevel': 1,
  'tools/list': 1,
  'tools/call': 15,
  'prompts/list': 1,
  'prompts/get': 1,
  'completion/complete': 1,
  'resources/list': 1,
  'resources/templates/list': 1,
  'resources/read': 1,
  'resources/subscribe': 1,
  'resources/unsubscribe': 1,
}

test.each(['stdio', 'streamableHttp', 'sse'] as const)('the reference server over %s', async (transport) => {
  const server = transport === 'stdio' ? null : await startEverything(transport)
  const run = await recordAndReplay(
    'everything',
    { MCP_SERVER: server?.url ?? '', MCP_TRANSPORT: transport, MCP_EVERYTHING: everything },
    async () => server?.stop(),
  )
  expectWholeRun(run.stdout)
  expectRecords(run.tape)
})

test.each(['stdio', 'streamableHttp'] as const)('the file system server over %s', async (transport) => {
  const folder = tempFolder()
  const server = transport === 'stdio' ? null : await startFilesystem(folder)
  const more = {
    MCP_FOLDER: folder,
    MCP_FILESYSTEM: filesystem,
    MCP_TRANSPORT: transport,
    MCP_SERVER: server?.url ?? '',
  }
  const { tape, stdout } = await recordAndReplay('filesystem', more, async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })
  expect(stdout).toContain('1st\\nsecond ½')
  expect(stdout).toContain('asked for roots')
  expect(stdout).toContain('Access denied')
  const calls = kindsOf(tape, 'mcp_json_rpc')
  expect(countBy(calls.map(({ method }) => method))).toEqual({
    initialize: 1,
    'tools/list': 1,
    'tools/call': 15,
  })
  expect(new Set(calls.map(({ server }) => server))).toEqual(new Set(['secure-filesystem-server']))
})

/** Recorded once; replayed without the server, the folder and any program to start. */
async function recordAndReplay(
  program: string,
  more: Readonly<Record<string, string>>,
  remove: () => Promise<void>,
) {
  const folder = tempFolder()
  const [tape, report, emitted] = [
    join(folder, 'run.tape'),
    join(folder, 'report.json'),
    join(folder, 'again.tape'),
  ]
  const env = { ...process.env, ...more }
  const recorded = await reprise(
    ['record', '--out', tape, '--', process.execPath, `test/compat/mcp/${program}.mjs`],
    { cwd: root, env },
  )
  await remove()
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  const bare = { ...process.env, PATH: '' }
  const replayed = await reprise(['replay', tape, '--report', report, '--emit-tape', emitted], {
    cwd: root,
    env: bare,
  })
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    gaps: [],
  })
  expect(replayed).toEqual(recorded)
  expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
  expect(await reprise(['fidelity', tape, emitted])).toMatchObject({ code: 0 })
  expect(await reprise(['mcp', 'diff', tape, emitted])).toMatchObject({ code: 0 })
  return { tape, stdout: recorded.stdout }
}

/** Every sort of message was seen by the client. */
function expectWholeRun(stdout: string): void {
  for (const line of [
    'progress {"progress":1,"total":3}',
    'asked to sample',
    'asked by elicitation',
    'asked for roots',
    'updated {',
    'log {',
  ]) {
    expect(stdout).toContain(line)
  }
  expect(stdout).toContain('cancelled failed McpError -32001 MCP error -32001: enough')
  expect(stdout.match(/ failed /g)).toHaveLength(1)
}

function expectRecords(tape: string): void {
  const calls = kindsOf(tape, 'mcp_json_rpc')
  expect(countBy(calls.map(({ method }) => method))).toEqual(CALLS)
  expect(new Set(calls.map(({ server }) => server))).toEqual(new Set(['mcp-servers/everything']))
  const cancelled = calls.filter(({ requestId }) => requestId !== undefined)
  expect(
    cancelled.map(({ responsePayload }) => (responsePayload.form === 'inline' ? responsePayload.text : '')),
  ).toEqual(['{"error":{"message":"cancelled by the client"},"jsonrpc":"2.0"}'])
  const messages = new Set(
    kindsOf(tape, 'mcp_message').map(
      ({ direction, message }) => `${direction} ${message.form === 'inline' ? nameOf(message.text) : ''}`,
    ),
  )
  for (const wanted of [
    'out notifications/initialized',
    'out notifications/cancelled',
    'out notifications/roots/list_changed',
    'in notifications/progress',
    'in notifications/message',
    'in notifications/resources/updated',
    'in sampling/createMessage',
    'in elicitation/create',
    'in roots/list',
    'out an answer',
  ]) {
    expect([...messages]).toContain(wanted)
  }
}

function nameOf(text: string): string {
  return JSON.parse(text).method ?? 'an answer'
}

function kindsOf<N extends KindName>(tape: string, name: N): Kind<N>[] {
  const isWanted = (kind: { readonly kind: string }): kind is Kind<N> => kind.kind === name
  return [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' && isWanted(event.record.kind) ? [event.record.kind] : [],
  )
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
