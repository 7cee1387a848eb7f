/**
 * Edits of what comes over connections: bytes, messages of a WebSocket, frames of HTTP/2, requests to a server,
 * names, stdin. Each is checked by what the program prints, and its tape replays faithfully alone.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TapeRecord } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { CONNECTED, type ConnectedProgram, recordConnectedAgent } from '../support/connected-agent.ts'
import { linesOf, seqOf, whatIf } from '../support/what-if.ts'

let program: ConnectedProgram
beforeAll(async () => {
  program = await recordConnectedAgent()
  expect(linesOf(program.recorded.stdout), program.recorded.stderr).toEqual(CONNECTED)
}, 60_000)

type Wanted = (record: TapeRecord) => boolean

const start =
  (text: string): Wanted =>
  ({ kind }) =>
    kind.kind === 'effect_start' && kind.key.startsWith(text)
const frame =
  (name: string, direction: 'in' | 'out'): Wanted =>
  ({ kind }) =>
    kind.kind === 'http2_frame' && kind.frame === name && kind.direction === direction
const message =
  (direction: 'in' | 'out'): Wanted =>
  ({ kind }) =>
    kind.kind === 'ws_message' && kind.direction === direction
const connect: Wanted = (record) => start(`connect http://127.0.0.1:${program.tcpPort}`)(record)
const request: Wanted = ({ kind }) => kind.kind === 'server_request'

const rows: readonly [name: string, record: Wanted, edit: string, changes: Record<string, string>][] = [
  ['bytes of a socket', start('socket tcp:'), '{"text":"other"}', { socket: 'other' }],
  ['an error of a socket', start('socket tcp:'), '{"error":"ECONNRESET"}', { socket: 'failed ECONNRESET' }],
  [
    'a connection that fails, before a WebSocket with a recorded key',
    connect,
    '{"error":"ECONNREFUSED"}',
    { socket: 'failed ECONNREFUSED' },
  ],
  ['cut bytes of a socket', start('socket tcp:'), '{"cutAfterBytes":4}', { socket: 'echo' }],
  ['late bytes of a socket', start('socket tcp:'), '{"delayMs":5000}', { socket: 'echo hi, late' }],
  ['a message', message('in'), '{"text":"bye"}', { message: 'bye' }],
  ['a value in a message', message('in'), '{"json":{"$.got":"bye"}}', { message: '{"got":"bye"}' }],
  ['a late message', message('in'), '{"delayMs":5000}', { message: '{"got":"hello"}, late' }],
  ['status over HTTP/2', frame('headers', 'in'), '{"status":500}', { http2: '500 recorded {"two":2}' }],
  [
    'headers over HTTP/2',
    frame('headers', 'in'),
    '{"headers":{"X-Kind":"edited"}}',
    { http2: '200 edited {"two":2}' },
  ],
  ['data over HTTP/2', frame('data', 'in'), '{"text":"{}"}', { http2: '200 recorded {}' }],
  [
    'late data over HTTP/2',
    frame('data', 'in'),
    '{"delayMs":5000}',
    { http2: '200 recorded {"two":2}, late' },
  ],
  ['a name', start('dns.lookup'), '{"error":"ENOTFOUND"}', { dns: 'failed ENOTFOUND' }],
  ['headers of a served request', request, '{"headers":{"x-a":"two"}}', { served: 'two body' }],
  ['the body of a served request', request, '{"text":"new"}', { served: 'one new' }],
  ['a late served request', request, '{"delayMs":5000}', { served: 'one body, late' }],
  ['stdin', start('process.stdin'), '{"text":"typed"}', { stdin: 'typed' }],
]

describe('each edit changes what it says, and nothing else', () => {
  test.each(rows)('%s', async (_name, record, edit, changes) => {
    const made = await whatIf(program, [`${seqOf(program, record)}=${edit}`])
    expect(linesOf(made.stdout), made.stderr).toEqual({ ...CONNECTED, ...changes })
    expect(made.code, made.stderr).toBe(0)
    const replayed = await reprise(['replay', made.out], { cwd: program.folder })
    expect(replayed, replayed.stderr).toMatchObject({ code: 0, stdout: made.stdout, stderr: '' })
  })
})

test('an answer that a server gives differently is named', async () => {
  const made = await whatIf(program, [`${seqOf(program, request)}={"text":"new"}`])
  expect(made.stderr).toContain('it answered a request differently')
})

const wrong: readonly [edit: string, record: Wanted, message: string][] = [
  ['{"text":"x"}', message('out'), 'that delivers nothing'],
  ['{"error":"ECONNRESET"}', message('in'), 'it fits http_exchange, llm_call, stream_chunk, stream_end'],
  ['{"json":{"$.nothing.here":1}}', message('in'), 'there is no $.nothing.here'],
  ['{"status":500}', frame('data', 'in'), 'status and headers fit a headers frame'],
  ['{"text":"x"}', frame('headers', 'in'), 'text fits a data frame'],
  ['{"status":500}', frame('settings', 'in'), 'that delivers nothing; it fits http_exchange'],
  ['{"status":500}', request, 'it fits http_exchange, llm_call, http2_frame'],
  ['{"error":"ECONNRESET"}', start('websocket '), 'error fits its last record only'],
  ['{"error":"EIO"}', start('process.stdin'), 'error fits a stream of the network'],
  ['{"errno":"ENOENT"}', start('dns.lookup'), 'it fits file_read, file_write, file_delete, fs_call'],
]

test.each(wrong)('%s is refused, exit code 64', async (edit, record, text) => {
  const made = await whatIf(program, [`${seqOf(program, record)}=${edit}`])
  expect(made).toMatchObject({ code: 64, stdout: '' })
  expect(made.stderr).toContain(text)
})
