/**
 * Records for tests of fidelity: one of every kind, and arbitrary ones from a small alphabet, so that repeats
 * and look-alikes are common.
 */
import fc from 'fast-check'
import { type ContentHash, decimalText, label } from '../../src/base/index.ts'
import type { Payload } from '../../src/tape/fields.ts'
import type { KnownKind, RecordKind } from '../../src/tape/kinds.ts'
import type { TapeRecord } from '../../src/tape/record.ts'

export function hashOf(digit: string): ContentHash {
  return digit.repeat(64).slice(0, 64) as ContentHash
}

export function inline(text: string, digit: string): Payload {
  return { form: 'inline', contentHash: hashOf(digit), text }
}

export function record(kind: RecordKind, facts: Partial<Omit<TapeRecord, 'kind'>> = {}): TapeRecord {
  return { seq: 0, phase: 'user_script', virtualTimeMs: 0, monotonicMs: 0, ...facts, kind }
}

/** Numbered from 0, as a recorder does. */
export function numbered(records: readonly TapeRecord[]): TapeRecord[] {
  return records.map((each, seq) => ({ ...each, seq }))
}

export function kindsOf(...kinds: readonly RecordKind[]): TapeRecord[] {
  return numbered(kinds.map((kind) => record(kind)))
}

export const sleep = (durationMs: number): KnownKind => ({ kind: 'clock_sleep', durationMs })

export const sampleKinds: { readonly [name: string]: KnownKind } = {
  clock_read: {
    kind: 'clock_read',
    source: 'wall',
    valueMs: 5,
    value: decimalText('5.25'),
    api: label('Date.now'),
  },
  clock_sleep: sleep(5),
  llm_call: {
    kind: 'llm_call',
    requestDigest: hashOf('1'),
    response: inline('{"text":"hi"}', '2'),
    provider: 'openai',
    model: 'gpt-x',
    request: { messages: [{ role: 'user', content: 'hi' }] },
    usage: { input_tokens: 1 },
    wire: 7,
    error: { message: 'none' },
  },
  decision_evaluation: {
    kind: 'decision_evaluation',
    requestDigest: hashOf('1'),
    response: inline('{}', '2'),
  },
  file_read: {
    kind: 'file_read',
    path: '/w/a',
    contentHash: hashOf('3'),
    lenBytes: 3,
    payload: inline('abc', '3'),
  },
  file_write: {
    kind: 'file_write',
    path: '/w/a',
    contentHash: hashOf('3'),
    lenBytes: 3,
    payload: inline('abc', '3'),
  },
  file_delete: { kind: 'file_delete', path: '/w/a' },
  process_spawn: {
    kind: 'process_spawn',
    program: 'git',
    args: ['status'],
    cwd: null,
    exitCode: 0,
    durationMs: 42,
    stdoutPayload: inline('On branch main\n', '4'),
    stderrPayload: inline('', '5'),
    stdin: inline('in', '6'),
    signal: label('SIGTERM'),
    io: ['out', 'err'],
  },
  mcp_json_rpc: {
    kind: 'mcp_json_rpc',
    server: 'github',
    method: 'tools/list',
    requestDigest: hashOf('1'),
    responseDigest: hashOf('2'),
    latencyMs: 1,
    requestPayload: inline('{}', '3'),
    responsePayload: inline('{}', '4'),
  },
  model_job: {
    kind: 'model_job',
    jobId: 'job-1',
    requestId: 'req-1',
    backend: 'fixture',
    state: 'succeeded',
    eventKind: 'output',
    event: inline('{}', '1'),
    assetDigests: [hashOf('2')],
  },
  effect_start: { kind: 'effect_start', id: 1, boundary: label('network'), key: 'GET /', request: { a: 1 } },
  http_exchange: {
    kind: 'http_exchange',
    id: 1,
    method: 'POST',
    url: 'https://api.example.com/v1/messages',
    requestHeaders: [['accept', '*/*']],
    requestBody: inline('{}', '1'),
    status: 200,
    statusText: 'OK',
    responseHeaders: [['content-type', 'text/plain']],
    responseBody: inline('hi', '2'),
    error: { code: 'none' },
    httpVersion: decimalText('1.0'),
  },
  timer_fire: { kind: 'timer_fire', id: 1 },
  stream_chunk: { kind: 'stream_chunk', of: 1, n: 0, direction: 'in', data: { form: 'text', text: 'abc' } },
  stream_end: { kind: 'stream_end', of: 1, error: null },
  server_request: {
    kind: 'server_request',
    of: 1,
    method: 'GET',
    target: '/a',
    headers: [['host', 'a']],
    httpVersion: decimalText('1.0'),
  },
  server_answer: {
    kind: 'server_answer',
    of: 1,
    status: 200,
    statusText: 'OK',
    headers: [['x', '1']],
    body: inline('{}', '1'),
  },
  ws_message: {
    kind: 'ws_message',
    of: 1,
    n: 0,
    direction: 'in',
    message: label('text'),
    data: { form: 'text', text: 'abc' },
  },
  http2_frame: {
    kind: 'http2_frame',
    of: 1,
    n: 0,
    direction: 'in',
    frame: label('data'),
    stream: 1,
    data: { form: 'text', text: 'abc' },
  },
  process_exit: { kind: 'process_exit', of: 4, code: 0, signal: null, durationMs: 7 },
  completion: { kind: 'completion', of: 1, api: label('zlib') },
  random_read: {
    kind: 'random_read',
    api: label('randomBytes'),
    data: { form: 'base64', bytes: new Uint8Array([255, 254]) },
  },
  env_read: { kind: 'env_read', name: 'HOME', value: '/home/u', api: label('get') },
  file_state: { kind: 'file_state', when: 'before', path: 'a', state: 'file', mode: 0o644 },
  fs_call: { kind: 'fs_call', call: label('stat'), path: 'a', result: { size: 1 }, error: null },
  mcp_message: { kind: 'mcp_message', server: 'github', direction: 'in', message: inline('{}', '1') },
  stdin_read: { kind: 'stdin_read', data: { form: 'text', text: 'line\n' } },
  terminal_session: {
    kind: 'terminal_session',
    program: 'vim',
    args: ['a'],
    cassette: 'c',
    exitCode: 0,
    of: 1,
    outputHash: hashOf('1'),
  },
  terminal_output: { kind: 'terminal_output', of: 1, n: 0, offset: 0, lenBytes: 3 },
  gap: { kind: 'gap', boundary: label('network'), reason: 'net.connect' },
  note: { kind: 'note', boundary: label('loader'), reason: 'tsx' },
}

const smallKind: fc.Arbitrary<RecordKind> = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map(sleep),
  fc
    .integer({ min: 0, max: 2 })
    .map((valueMs): RecordKind => ({ kind: 'clock_read', source: 'wall', valueMs })),
  fc.constantFrom('a', 'b').map((path): RecordKind => ({ kind: 'file_delete', path })),
  fc.constantFrom('x', 'y').map((text): RecordKind => ({ kind: 'stdin_read', data: { form: 'text', text } })),
  fc.integer({ min: 1, max: 4 }).map((id): RecordKind => ({ kind: 'timer_fire', id })),
  fc
    .constantFrom('1', '2')
    .map((n): RecordKind => ({ kind: 'unknown', name: 'later', json: `{"kind":"later","n":${n}}` })),
)

export const arbitraryRecord: fc.Arbitrary<TapeRecord> = fc
  .record({ kind: smallKind, time: fc.integer({ min: 0, max: 2 }), finalize: fc.integer({ min: 0, max: 9 }) })
  .map(({ kind, time, finalize }) =>
    record(kind, {
      virtualTimeMs: time,
      monotonicMs: time,
      phase: finalize === 0 ? 'runtime_finalize' : 'user_script',
    }),
  )

/** Also long runs of one record, where an inserted one has many places to be. */
export const arbitraryTape: fc.Arbitrary<TapeRecord[]> = fc
  .array(fc.tuple(arbitraryRecord, fc.constantFrom(1, 1, 1, 2, 3, 50)), { maxLength: 40 })
  .map((runs) => numbered(runs.flatMap(([each, times]) => new Array<TapeRecord>(times).fill(each))))
