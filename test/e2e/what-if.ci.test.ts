/**
 * Each kind of edit on each kind of record that it fits, checked by what the program prints. Every run's
 * tape replays faithfully without its parent.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { TapeRecord } from '../../src/tape/index.ts'
import { fits } from '../../src/testbench/edits/edit.ts'
import { reprise } from '../support/cli.ts'
import type { RecordedProgram } from '../support/recorded-program.ts'
import { linesOf, RECORDED, recordedForEdits, seqOf, whatIf } from '../support/what-if.ts'

let program: RecordedProgram
beforeAll(async () => {
  program = await recordedForEdits()
}, 60_000)

type Wanted = (record: TapeRecord) => boolean

const exchange =
  (path: string): Wanted =>
  ({ kind }) =>
    kind.kind === 'http_exchange' && kind.url.endsWith(path)
const model = exchange('/v1/chat/completions')
const call: Wanted = ({ kind }) => kind.kind === 'llm_call'
const start =
  (text: string): Wanted =>
  ({ kind }) =>
    kind.kind === 'effect_start' && kind.key.includes(text)
const file =
  (kind: string, key: string): Wanted =>
  (record) =>
    record.kind.kind === kind && 'key' in record.kind && record.kind.key === key
const later =
  (kind: string): Wanted =>
  (record) =>
    record.kind.kind === kind && 'of' in record.kind && record.kind.of !== undefined
const run =
  (program: string): Wanted =>
  ({ kind }) =>
    kind.kind === 'process_spawn' && kind.program === program && kind.key !== undefined
const child: Wanted = ({ kind }) => kind.kind === 'process_spawn' && kind.key === undefined
const chunkOf =
  (path: string, stream?: string): Wanted =>
  ({ kind }) => {
    if (kind.kind !== 'stream_chunk' || kind.stream !== stream) return false
    return stream !== undefined || kind.of === effects.get(path)
  }
const effects = new Map<string, number>()

beforeAll(() => {
  for (const path of ['/v1/chat/completions', '/plain', '/packed'])
    seqOf(program, ({ kind }) => {
      if (kind.kind === 'http_exchange' && kind.url.endsWith(path)) effects.set(path, kind.id)
      return effects.has(path)
    })
})

const endOf =
  (path: string): Wanted =>
  ({ kind }) =>
    kind.kind === 'stream_end' && kind.of === effects.get(path)

const rows: readonly [name: string, record: Wanted, edit: string, changes: Record<string, string>][] = [
  ['status of a response', model, '{"status":500}', { model: '500 recorded hello' }],
  ['status by its call', call, '{"status":429}', { model: '429 recorded hello' }],
  ['status by its request', start('/v1/chat'), '{"status":201}', { model: '201 recorded hello' }],
  ['status of a request that failed', exchange('/failing'), '{"status":204}', { failing: '204' }],
  ['headers', model, '{"headers":{"X-Kind":"edited"}}', { model: '200 edited hello' }],
  ['a header removed', model, '{"headers":{"x-kind":null}}', { model: '200 null hello' }],
  ['json', model, '{"json":{"$.choices[0].message.content":"bye"}}', { model: '200 recorded bye' }],
  ['json of a packed body', exchange('/packed'), '{"json":{"$.text":"unpacked"}}', { packed: 'unpacked' }],
  [
    'json of events',
    exchange('/events'),
    '{"json":{"$[1].n":7}}',
    { events: 'data: {"n":1}|data: {"n":7}|' },
  ],
  ['text', exchange('/plain'), '{"text":"other"}', { http: 'other' }],
  ['text of a chunk', chunkOf('/plain'), '{"text":"9876543210"}', { http: '9876543210' }],
  ['text of a chunk of a child', chunkOf('', 'stdout'), '{"text":"x\\n"}', { child: 'err=err out=x 3' }],
  [
    'text of a variable',
    ({ kind }) => kind.kind === 'env_read' && kind.name === 'MOOD',
    '{"text":"good"}',
    { variable: 'good' },
  ],
  ['error', model, '{"error":"ECONNRESET"}', { model: 'failed ECONNRESET' }],
  ['error of a name', exchange('/plain'), '{"error":"ENOTFOUND"}', { http: 'failed ENOTFOUND' }],
  ['error at a chunk', chunkOf('/plain'), '{"error":"ECONNRESET"}', { http: 'failed ECONNRESET' }],
  ['error at the end', endOf('/v1/chat/completions'), '{"error":"EPIPE"}', { model: 'failed EPIPE' }],
  [
    'errno of a read',
    file('file_read', 'readFile plan.txt'),
    '{"errno":"ENOENT"}',
    { file: 'failed ENOENT' },
  ],
  [
    'errno of a read that takes time',
    later('file_read'),
    '{"errno":"EACCES"}',
    { 'file later': 'failed EACCES' },
  ],
  [
    'errno of a write',
    file('file_write', 'writeFile out.txt'),
    '{"errno":"ENOSPC"}',
    { write: 'failed ENOSPC' },
  ],
  ['errno of a deletion', later('file_delete'), '{"errno":"EBUSY"}', { delete: 'failed EBUSY' }],
  ['errno of another call', file('fs_call', 'exists plan.txt'), '{"errno":"ENOENT"}', { exists: 'false' }],
  ['content', file('file_read', 'readFile plan.txt'), '{"content":"new plan"}', { file: 'new plan' }],
  ['content of a read that takes time', later('file_read'), '{"content":"b"}', { 'file later': 'b' }],
  ['exit and output', run('echo'), '{"exit":0,"stdout":"ho\\n"}', { run: 'ho' }],
  ['exit', run('echo'), '{"exit":5}', { run: 'failed Error' }],
  ['stderr', run('sh'), '{"exit":4,"stderr":"bad"}', { 'run twice': '4 bad' }],
  ['exit of a child', child, '{"exit":0}', { child: 'err=err out=out 0' }],
  [
    'exit of a child by its end',
    ({ kind }) => kind.kind === 'process_exit',
    '{"exit":9}',
    { child: 'err=err out=out 9' },
  ],
  ['output of a child', child, '{"stdout":"new","stderr":"old"}', { child: 'err=old out=new 3' }],
  [
    'output of a child by its start',
    start('sh -c "echo out'),
    '{"stdout":"z"}',
    { child: 'err=err out=z 3' },
  ],
  ['a cut response', exchange('/plain'), '{"cutAfterBytes":4}', { http: 'failed ECONNRESET' }],
  ['a cut response of a model', call, '{"cutAfterBytes":4}', { model: 'failed UND_ERR_SOCKET' }],
  ['a cut chunk', chunkOf('/plain'), '{"cutAfterBytes":4}', { http: 'failed ECONNRESET' }],
  ['a cut file', file('file_read', 'readFile plan.txt'), '{"cutAfterBytes":3}', { file: 'the' }],
  ['cut output', run('echo'), '{"cutAfterBytes":1}', { run: 'h' }],
  ['cut output of a child', child, '{"cutAfterBytes":2}', { child: 'err=err out=ou 3' }],
  // The signal aborts after 3 seconds.
  ['a late response', model, '{"delayMs":5000}', { model: 'failed 23' }],
  ['a response that is late, but in time', model, '{"delayMs":1000}', {}],
  ['a late chunk', chunkOf('/plain'), '{"delayMs":5000}', { http: '0123456789, late' }],
  ['a late end', endOf('/packed'), '{"delayMs":5000}', { packed: 'packed, late' }],
  [
    'a late end of a child',
    ({ kind }) => kind.kind === 'process_exit',
    '{"delayMs":5000}',
    { child: 'err=err out=out 3, late' },
  ],
  ['a late file', later('file_read'), '{"delayMs":4500}', { 'file later': 'the plan, late' }],
  [
    'a long sleep',
    ({ kind }) => kind.kind === 'clock_sleep' || kind.kind === 'timer_fire',
    '{"delayMs":5000}',
    { sleep: 'slept, late' },
  ],
  [
    'two members',
    model,
    '{"status":503,"json":{"$.choices[0].message.content":"sorry"}}',
    { model: '503 recorded sorry' },
  ],
]

describe('each edit changes what it says, and nothing else', () => {
  test.each(rows)('%s', async (_name, record, edit, changes) => {
    const seq = seqOf(program, record)
    const made = await whatIf(program, [`${seq}=${edit}`])
    expect(linesOf(made.stdout), made.stderr).toEqual({ ...RECORDED, ...changes })
    expect(made.code, made.stderr).toBe(0)
    const replayed = await reprise(['replay', made.out], { cwd: program.folder })
    expect(replayed, replayed.stderr).toMatchObject({ code: 0, stdout: made.stdout, stderr: '' })
  })
})

test('every member of an edit has a row, or is tested with MCP', () => {
  const tested = new Set(rows.flatMap(([, , edit]) => Object.keys(JSON.parse(edit))))
  expect(Object.keys(fits).filter((name) => !tested.has(name))).toEqual(['mcpError'])
})

const wrong: readonly [edit: string, record: Wanted, message: string][] = [
  ['{"status":500}', file('file_read', 'readFile plan.txt'), 'status does not fit record'],
  ['{"errno":"ENOENT"}', model, 'it fits file_read, file_write, file_delete, fs_call'],
  ['{"mcpError":{"code":1,"message":"m"}}', model, 'it fits mcp_json_rpc'],
  ['{"content":"x"}', file('file_write', 'writeFile out.txt'), 'it fits file_read'],
  ['{"exit":1}', model, 'it fits process_spawn, process_exit'],
  ['{"text":"x"}', ({ kind }) => kind.kind === 'tape_seal', 'that delivers nothing'],
  ['{"json":{"$.nothing.here":1}}', model, 'there is no $.nothing.here'],
  ['{"json":{"nothing":1}}', model, 'JSON paths'],
  ['{"status":99}', model, 'a status from 200 to 599'],
  ['{"stat":500}', model, 'unknown member'],
  ['{"error":"ECONNRESET","status":500}', model, 'nothing for status to change'],
  ['{"errno":"EWHAT"}', file('file_read', 'readFile plan.txt'), 'not a system error code'],
  ['{}', model, 'at least one member'],
  ['[1]', model, 'no object'],
  ['{', model, 'JSON'],
]

test.each(wrong)('%s is refused, exit code 64', async (edit, record, message) => {
  const made = await whatIf(program, [`${seqOf(program, record)}=${edit}`])
  expect(made).toMatchObject({ code: 64, stdout: '' })
  expect(made.stderr).toContain(message)
})
