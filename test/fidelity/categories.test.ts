import { describe, expect, test } from 'vitest'
import { label } from '../../src/base/index.ts'
import { categories, replayCategories } from '../../src/fidelity/categories.ts'
import { compare, type FidelityMode } from '../../src/fidelity/index.ts'
import { type FieldShape, kindRules } from '../../src/fidelity/rules.ts'
import type { KnownKind, RecordKind } from '../../src/tape/kinds.ts'
import type { TapeRecord } from '../../src/tape/record.ts'
import { hashOf, inline, kindsOf, numbered, record, sampleKinds, sleep } from './records.ts'

const [H1, H2, H3, H4, H5, H9] = ['1', '2', '3', '4', '5', '9'].map(hashOf)

/** The sample of a kind, with some fields changed: what differs, in which modes, and in which words. */
type Row = readonly [
  category: string,
  modes: 'always' | 'strict',
  kind: string,
  changed: object,
  sentence: string,
]

const rows: readonly Row[] = [
  [
    'clock_read_source',
    'always',
    'clock_read',
    { source: 'monotonic' },
    'clock_read source diverged: recorded=Wall replay=Monotonic',
  ],
  [
    'clock_read_value',
    'always',
    'clock_read',
    { valueMs: 6 },
    'clock_read value_ms diverged: recorded=5 replay=6 (Date.now(); clock reads before it: 0 missing, 0 extra)',
  ],
  [
    'clock_read_exact',
    'always',
    'clock_read',
    { value: '5.5' },
    'clock_read exact value diverged: recorded=5.25 replay=5.5 (Date.now(); clock reads before it: 0 missing, 0 extra)',
  ],
  [
    'clock_read_api',
    'strict',
    'clock_read',
    { api: label('new-Date') },
    'clock_read api diverged: recorded=Date.now replay=new-Date',
  ],
  [
    'clock_sleep_duration',
    'always',
    'clock_sleep',
    { durationMs: 7 },
    'sleep duration diverged: recorded=5ms replay=7ms',
  ],
  [
    'llm_request_digest',
    'always',
    'llm_call',
    { requestDigest: H9 },
    `LLM request digest diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'llm_response_hash',
    'always',
    'llm_call',
    { response: inline('{"text":"ho"}', '9') },
    `LLM response hash diverged: recorded=${H2} replay=${H9}`,
  ],
  [
    'llm_request_digest',
    'always',
    'decision_evaluation',
    { requestDigest: H9 },
    `LLM request digest diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'llm_response_hash',
    'always',
    'decision_evaluation',
    { response: inline('x', '9') },
    `LLM response hash diverged: recorded=${H2} replay=${H9}`,
  ],
  [
    'llm_provider',
    'always',
    'llm_call',
    { provider: 'ollama' },
    'LLM provider diverged: recorded=openai replay=ollama',
  ],
  ['llm_model', 'always', 'llm_call', { model: 'gpt-y' }, 'LLM model diverged: recorded=gpt-x replay=gpt-y'],
  [
    'llm_request',
    'always',
    'llm_call',
    { request: { messages: [] } },
    'LLM request diverged: recorded={"messages":[{"content":"hi","role":"user"}]} replay={"messages":[]}',
  ],
  [
    'llm_usage',
    'always',
    'llm_call',
    { usage: { input_tokens: 2 } },
    'LLM usage diverged: recorded={"input_tokens":1} replay={"input_tokens":2}',
  ],
  [
    'llm_error',
    'always',
    'llm_call',
    { error: undefined },
    'LLM error diverged: recorded={"message":"none"} replay=null',
  ],
  [
    'file_read_path',
    'always',
    'file_read',
    { path: '/w/b' },
    'file_read path diverged: recorded=/w/a replay=/w/b',
  ],
  [
    'file_read_hash',
    'always',
    'file_read',
    { contentHash: H9 },
    `file_read content hash diverged: recorded=${H3} replay=${H9}`,
  ],
  ['file_read_len', 'strict', 'file_read', { lenBytes: 4 }, 'file_read length diverged: recorded=3 replay=4'],
  [
    'file_write_path',
    'always',
    'file_write',
    { path: '/w/b' },
    'file_write path diverged: recorded=/w/a replay=/w/b',
  ],
  [
    'file_write_hash',
    'always',
    'file_write',
    { contentHash: H9 },
    `file_write content hash diverged: recorded=${H3} replay=${H9}`,
  ],
  [
    'file_write_len',
    'strict',
    'file_write',
    { lenBytes: 4 },
    'file_write length diverged: recorded=3 replay=4',
  ],
  [
    'file_delete_path',
    'always',
    'file_delete',
    { path: '/w/b' },
    'file_delete path diverged: recorded=/w/a replay=/w/b',
  ],
  [
    'process_program',
    'always',
    'process_spawn',
    { program: 'hg' },
    'subprocess program diverged: recorded=git replay=hg',
  ],
  [
    'process_args',
    'always',
    'process_spawn',
    { args: ['a "b"', '\n'] },
    'subprocess args diverged: recorded=["status"] replay=["a \\"b\\"", "\\n"]',
  ],
  [
    'process_cwd',
    'always',
    'process_spawn',
    { cwd: '/w' },
    'subprocess cwd diverged: recorded=None replay=Some("/w")',
  ],
  [
    'process_exit_code',
    'always',
    'process_spawn',
    { exitCode: -1 },
    'subprocess exit code diverged: recorded=0 replay=-1',
  ],
  [
    'process_duration',
    'strict',
    'process_spawn',
    { durationMs: 43 },
    'subprocess duration diverged: recorded=42ms replay=43ms',
  ],
  [
    'process_stdout_hash',
    'always',
    'process_spawn',
    { stdoutPayload: inline('x', '9') },
    `subprocess stdout hash diverged: recorded=${H4} replay=${H9}`,
  ],
  [
    'process_stderr_hash',
    'always',
    'process_spawn',
    { stderrPayload: inline('x', '9') },
    `subprocess stderr hash diverged: recorded=${H5} replay=${H9}`,
  ],
  [
    'process_stdin_hash',
    'always',
    'process_spawn',
    { stdin: undefined },
    `subprocess stdin hash diverged: recorded=${hashOf('6')} replay=null`,
  ],
  [
    'process_signal',
    'always',
    'process_spawn',
    { signal: label('SIGKILL') },
    'subprocess signal diverged: recorded=SIGTERM replay=SIGKILL',
  ],
  [
    'process_io',
    'strict',
    'process_spawn',
    { io: ['err', 'out'] },
    'subprocess io order diverged: recorded=["out","err"] replay=["err","out"]',
  ],
  ['mcp_server', 'always', 'mcp_json_rpc', { server: 'b' }, 'MCP server diverged: recorded=github replay=b'],
  [
    'mcp_method',
    'always',
    'mcp_json_rpc',
    { method: 'ping' },
    'MCP method diverged: recorded=tools/list replay=ping',
  ],
  [
    'mcp_request_digest',
    'always',
    'mcp_json_rpc',
    { requestDigest: H9 },
    `MCP request digest diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'mcp_response_digest',
    'always',
    'mcp_json_rpc',
    { responseDigest: H9 },
    `MCP response digest diverged: recorded=${H2} replay=${H9}`,
  ],
  [
    'mcp_latency',
    'strict',
    'mcp_json_rpc',
    { latencyMs: 2 },
    'MCP latency diverged: recorded=1ms replay=2ms',
  ],
  [
    'mcp_request_hash',
    'always',
    'mcp_json_rpc',
    { requestPayload: inline('x', '9') },
    `MCP request hash diverged: recorded=${H3} replay=${H9}`,
  ],
  [
    'mcp_response_hash',
    'always',
    'mcp_json_rpc',
    { responsePayload: inline('x', '9') },
    `MCP response hash diverged: recorded=${H4} replay=${H9}`,
  ],
  [
    'model_job_job_id',
    'always',
    'model_job',
    { jobId: 'job-2' },
    'model_job job_id diverged: recorded=job-1 replay=job-2',
  ],
  [
    'model_job_request_id',
    'always',
    'model_job',
    { requestId: 'r' },
    'model_job request_id diverged: recorded=req-1 replay=r',
  ],
  [
    'model_job_backend',
    'always',
    'model_job',
    { backend: 'b' },
    'model_job backend diverged: recorded=fixture replay=b',
  ],
  [
    'model_job_state',
    'always',
    'model_job',
    { state: 'failed' },
    'model_job state diverged: recorded=succeeded replay=failed',
  ],
  [
    'model_job_event_kind',
    'always',
    'model_job',
    { eventKind: 'log' },
    'model_job event_kind diverged: recorded=output replay=log',
  ],
  [
    'model_job_event',
    'always',
    'model_job',
    { event: inline('x', '9') },
    `model_job event diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'model_job_asset_digests',
    'always',
    'model_job',
    { assetDigests: [] },
    `model_job asset_digests diverged: recorded=["${H2}"] replay=[]`,
  ],
  [
    'effect_start_boundary',
    'always',
    'effect_start',
    { boundary: label('fs') },
    'effect_start boundary diverged: recorded=network replay=fs',
  ],
  [
    'effect_start_key',
    'always',
    'effect_start',
    { key: 'GET /b' },
    'effect_start key diverged: recorded=GET / replay=GET /b',
  ],
  [
    'effect_start_request',
    'always',
    'effect_start',
    { request: { a: 2 } },
    'effect_start request diverged: recorded={"a":1} replay={"a":2}',
  ],
  [
    'http_exchange_method',
    'always',
    'http_exchange',
    { method: 'GET' },
    'http_exchange method diverged: recorded=POST replay=GET',
  ],
  [
    'http_exchange_url',
    'always',
    'http_exchange',
    { url: 'https://b.example/' },
    'http_exchange url diverged: recorded=https://api.example.com/v1/messages replay=https://b.example/',
  ],
  [
    'http_exchange_request_headers',
    'always',
    'http_exchange',
    { requestHeaders: [] },
    'http_exchange request_headers diverged: recorded=[["accept","*/*"]] replay=[]',
  ],
  [
    'http_exchange_request_body',
    'always',
    'http_exchange',
    { requestBody: undefined },
    `http_exchange request_body diverged: recorded=${H1} replay=null`,
  ],
  [
    'http_exchange_status',
    'always',
    'http_exchange',
    { status: 500 },
    'http_exchange status diverged: recorded=200 replay=500',
  ],
  [
    'http_exchange_status_text',
    'always',
    'http_exchange',
    { statusText: 'No' },
    'http_exchange status_text diverged: recorded=OK replay=No',
  ],
  [
    'http_exchange_response_headers',
    'always',
    'http_exchange',
    { responseHeaders: [['a', 'b']] },
    'http_exchange response_headers diverged: recorded=[["content-type","text/plain"]] replay=[["a","b"]]',
  ],
  [
    'http_exchange_response_body',
    'always',
    'http_exchange',
    { responseBody: inline('x', '9') },
    `http_exchange response_body diverged: recorded=${H2} replay=${H9}`,
  ],
  [
    'http_exchange_error',
    'always',
    'http_exchange',
    { error: { code: 'E' } },
    'http_exchange error diverged: recorded={"code":"none"} replay={"code":"E"}',
  ],
  [
    'http_exchange_http_version',
    'always',
    'http_exchange',
    { httpVersion: undefined },
    'http_exchange http_version diverged: recorded=1.0 replay=null',
  ],
  ['stream_chunk_n', 'always', 'stream_chunk', { n: 1 }, 'stream_chunk n diverged: recorded=0 replay=1'],
  [
    'stream_chunk_direction',
    'always',
    'stream_chunk',
    { direction: 'out' },
    'stream_chunk direction diverged: recorded=in replay=out',
  ],
  [
    'stream_chunk_data',
    'always',
    'stream_chunk',
    { data: { form: 'text', text: 'abd' } },
    'stream_chunk data diverged: recorded="abc" replay="abd"',
  ],
  [
    'stream_end_error',
    'always',
    'stream_end',
    { error: { code: 'E' } },
    'stream_end error diverged: recorded=null replay={"code":"E"}',
  ],
  [
    'stream_chunk_held',
    'always',
    'stream_chunk',
    { held: 3 },
    'stream_chunk held diverged: recorded=null replay=3',
  ],
  [
    'stream_chunk_parts',
    'always',
    'stream_chunk',
    { parts: [1, 1] },
    'stream_chunk parts diverged: recorded=null replay=[1,1]',
  ],
  [
    'stream_end_tail',
    'always',
    'stream_end',
    { tail: { form: 'text', text: 'x' } },
    'stream_end tail diverged: recorded=null replay="x"',
  ],
  [
    'stream_end_trailers',
    'always',
    'stream_end',
    { trailers: [['a', 'b']] },
    'stream_end trailers diverged: recorded=null replay=[["a","b"]]',
  ],
  [
    'stream_end_decoded',
    'always',
    'stream_end',
    { decoded: label('gzip') },
    'stream_end decoded diverged: recorded=null replay=gzip',
  ],
  [
    'server_request_method',
    'always',
    'server_request',
    { method: 'PUT' },
    'server_request method diverged: recorded=GET replay=PUT',
  ],
  [
    'server_request_target',
    'always',
    'server_request',
    { target: '/b' },
    'server_request target diverged: recorded=/a replay=/b',
  ],
  [
    'server_request_headers',
    'always',
    'server_request',
    { headers: [] },
    'server_request headers diverged: recorded=[["host","a"]] replay=[]',
  ],
  [
    'server_request_http_version',
    'always',
    'server_request',
    { httpVersion: undefined },
    'server_request http_version diverged: recorded=1.0 replay=null',
  ],
  [
    'server_request_turn',
    'strict',
    'server_request',
    { turn: label('same') },
    'server_request turn diverged: recorded=null replay=same',
  ],
  [
    'server_answer_status',
    'always',
    'server_answer',
    { status: 500 },
    'server_answer status diverged: recorded=200 replay=500',
  ],
  [
    'server_answer_status_text',
    'always',
    'server_answer',
    { statusText: 'Fine' },
    'server_answer status_text diverged: recorded=OK replay=Fine',
  ],
  [
    'server_answer_headers',
    'always',
    'server_answer',
    { headers: [['x', '2']] },
    'server_answer headers diverged: recorded=[["x","1"]] replay=[["x","2"]]',
  ],
  [
    'server_answer_body',
    'always',
    'server_answer',
    { body: inline('x', '9') },
    `server_answer body diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'server_answer_trailers',
    'always',
    'server_answer',
    { trailers: [['a', 'b']] },
    'server_answer trailers diverged: recorded=null replay=[["a","b"]]',
  ],
  [
    'server_answer_ended',
    'always',
    'server_answer',
    { ended: label('cut') },
    'server_answer ended diverged: recorded=null replay=cut',
  ],
  ['ws_message_n', 'always', 'ws_message', { n: 1 }, 'ws_message n diverged: recorded=0 replay=1'],
  [
    'ws_message_direction',
    'always',
    'ws_message',
    { direction: 'out' },
    'ws_message direction diverged: recorded=in replay=out',
  ],
  [
    'ws_message_message',
    'always',
    'ws_message',
    { message: label('ping') },
    'ws_message message diverged: recorded=text replay=ping',
  ],
  [
    'ws_message_data',
    'always',
    'ws_message',
    { data: { form: 'text', text: 'abd' } },
    'ws_message data diverged: recorded="abc" replay="abd"',
  ],
  [
    'ws_message_code',
    'always',
    'ws_message',
    { code: 1001 },
    'ws_message code diverged: recorded=null replay=1001',
  ],
  ['http2_frame_n', 'always', 'http2_frame', { n: 1 }, 'http2_frame n diverged: recorded=0 replay=1'],
  [
    'http2_frame_direction',
    'always',
    'http2_frame',
    { direction: 'out' },
    'http2_frame direction diverged: recorded=in replay=out',
  ],
  [
    'http2_frame_frame',
    'always',
    'http2_frame',
    { frame: label('ping') },
    'http2_frame frame diverged: recorded=data replay=ping',
  ],
  [
    'http2_frame_stream',
    'always',
    'http2_frame',
    { stream: 3 },
    'http2_frame stream diverged: recorded=1 replay=3',
  ],
  [
    'http2_frame_headers',
    'always',
    'http2_frame',
    { headers: [['x', '1']] },
    'http2_frame headers diverged: recorded=null replay=[["x","1"]]',
  ],
  [
    'http2_frame_sensitive',
    'always',
    'http2_frame',
    { sensitive: ['x'] },
    'http2_frame sensitive diverged: recorded=null replay=["x"]',
  ],
  [
    'http2_frame_data',
    'always',
    'http2_frame',
    { data: { form: 'text', text: 'abd' } },
    'http2_frame data diverged: recorded="abc" replay="abd"',
  ],
  [
    'http2_frame_held',
    'always',
    'http2_frame',
    { held: 2 },
    'http2_frame held diverged: recorded=null replay=2',
  ],
  [
    'http2_frame_code',
    'always',
    'http2_frame',
    { code: 8 },
    'http2_frame code diverged: recorded=null replay=8',
  ],
  [
    'http2_frame_value',
    'always',
    'http2_frame',
    { value: 5 },
    'http2_frame value diverged: recorded=null replay=5',
  ],
  [
    'http2_frame_settings',
    'always',
    'http2_frame',
    { settings: [[1, 2]] },
    'http2_frame settings diverged: recorded=null replay=[[1,2]]',
  ],
  [
    'http2_frame_flag',
    'always',
    'http2_frame',
    { flag: label('stream') },
    'http2_frame flag diverged: recorded=null replay=stream',
  ],
  [
    'http2_frame_turn',
    'strict',
    'http2_frame',
    { turn: label('same') },
    'http2_frame turn diverged: recorded=null replay=same',
  ],
  [
    'process_exit_status',
    'always',
    'process_exit',
    { code: 3 },
    'process_exit code diverged: recorded=0 replay=3',
  ],
  [
    'process_exit_signal',
    'always',
    'process_exit',
    { signal: label('SIGTERM') },
    'process_exit signal diverged: recorded=null replay=SIGTERM',
  ],
  [
    'process_exit_duration_ms',
    'strict',
    'process_exit',
    { durationMs: 9 },
    'process_exit duration_ms diverged: recorded=7ms replay=9ms',
  ],
  [
    'stream_chunk_stream',
    'always',
    'stream_chunk',
    { stream: label('stderr') },
    'stream_chunk stream diverged: recorded=null replay=stderr',
  ],
  [
    'stream_end_stream',
    'always',
    'stream_end',
    { stream: label('stderr') },
    'stream_end stream diverged: recorded=null replay=stderr',
  ],
  [
    'completion_api',
    'always',
    'completion',
    { api: label('scrypt') },
    'completion api diverged: recorded=zlib replay=scrypt',
  ],
  [
    'random_read_api',
    'always',
    'random_read',
    { api: label('random') },
    'random_read api diverged: recorded=randomBytes replay=random',
  ],
  [
    'random_read_data',
    'always',
    'random_read',
    { data: { form: 'base64', bytes: new Uint8Array([255]) } },
    'random_read data diverged: recorded=base64://4= replay=base64:/w==',
  ],
  [
    'env_read_name',
    'always',
    'env_read',
    { name: 'PATH' },
    'env_read name diverged: recorded=HOME replay=PATH',
  ],
  [
    'env_read_value',
    'always',
    'env_read',
    { value: null },
    'env_read value diverged: recorded=/home/u replay=null',
  ],
  [
    'env_read_api',
    'always',
    'env_read',
    { api: label('has') },
    'env_read api diverged: recorded=get replay=has',
  ],
  [
    'fs_call_call',
    'always',
    'fs_call',
    { call: label('lstat') },
    'fs_call call diverged: recorded=stat replay=lstat',
  ],
  ['fs_call_path', 'always', 'fs_call', { path: 'b' }, 'fs_call path diverged: recorded=a replay=b'],
  [
    'fs_call_result',
    'always',
    'fs_call',
    { result: null },
    'fs_call result diverged: recorded={"size":1} replay=null',
  ],
  [
    'fs_call_error',
    'always',
    'fs_call',
    { error: { code: 'ENOENT' } },
    'fs_call error diverged: recorded=null replay={"code":"ENOENT"}',
  ],
  [
    'file_state_when',
    'always',
    'file_state',
    { when: 'after' },
    'file_state when diverged: recorded=before replay=after',
  ],
  ['file_state_path', 'always', 'file_state', { path: 'b' }, 'file_state path diverged: recorded=a replay=b'],
  [
    'file_state_state',
    'always',
    'file_state',
    { state: 'absent' },
    'file_state state diverged: recorded=file replay=absent',
  ],
  [
    'file_state_mode',
    'always',
    'file_state',
    { mode: 0o755 },
    'file_state mode diverged: recorded=420 replay=493',
  ],
  [
    'file_state_target',
    'always',
    'file_state',
    { target: 'x' },
    'file_state target diverged: recorded=null replay=x',
  ],
  [
    'file_state_payload',
    'always',
    'file_state',
    { payload: inline('x', '9') },
    `file_state payload diverged: recorded=null replay=${H9}`,
  ],
  [
    'mcp_message_server',
    'always',
    'mcp_message',
    { server: 'b' },
    'mcp_message server diverged: recorded=github replay=b',
  ],
  [
    'mcp_message_direction',
    'always',
    'mcp_message',
    { direction: 'out' },
    'mcp_message direction diverged: recorded=in replay=out',
  ],
  [
    'mcp_message_message',
    'always',
    'mcp_message',
    { message: inline('x', '9') },
    `mcp_message message diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'stdin_read_data',
    'always',
    'stdin_read',
    { data: { form: 'text', text: 'x' } },
    'stdin_read data diverged: recorded="line\\n" replay="x"',
  ],
  [
    'terminal_session_program',
    'always',
    'terminal_session',
    { program: 'vi' },
    'terminal_session program diverged: recorded=vim replay=vi',
  ],
  [
    'terminal_session_args',
    'always',
    'terminal_session',
    { args: [] },
    'terminal_session args diverged: recorded=["a"] replay=[]',
  ],
  [
    'terminal_session_exit_code',
    'always',
    'terminal_session',
    { exitCode: null },
    'terminal_session exit_code diverged: recorded=0 replay=null',
  ],
  [
    'terminal_session_output_hash',
    'always',
    'terminal_session',
    { outputHash: H9 },
    `terminal_session output_hash diverged: recorded=${H1} replay=${H9}`,
  ],
  [
    'terminal_session_signal',
    'always',
    'terminal_session',
    { signal: 9 },
    'terminal_session signal diverged: recorded=null replay=9',
  ],
  [
    'terminal_session_closed_by',
    'always',
    'terminal_session',
    { closedBy: label('program') },
    'terminal_session closed_by diverged: recorded=null replay=program',
  ],
  [
    'terminal_output_n',
    'always',
    'terminal_output',
    { n: 1 },
    'terminal_output n diverged: recorded=0 replay=1',
  ],
  [
    'terminal_output_offset',
    'always',
    'terminal_output',
    { offset: 1 },
    'terminal_output offset diverged: recorded=0 replay=1',
  ],
  [
    'terminal_output_len_bytes',
    'always',
    'terminal_output',
    { lenBytes: 1 },
    'terminal_output len_bytes diverged: recorded=3 replay=1',
  ],
  [
    'gap_boundary',
    'always',
    'gap',
    { boundary: label('process') },
    'gap boundary diverged: recorded=network replay=process',
  ],
  ['gap_reason', 'always', 'gap', { reason: 'dns' }, 'gap reason diverged: recorded=net.connect replay=dns'],
  [
    'note_boundary',
    'always',
    'note',
    { boundary: label('addon') },
    'note boundary diverged: recorded=loader replay=addon',
  ],
  [
    'note_reason',
    'always',
    'note',
    { reason: 'esbuild' },
    'note reason diverged: recorded=tsx replay=esbuild',
  ],
  [
    'extra_field',
    'always',
    'timer_fire',
    { extra: { later: '1' } },
    'field later diverged: recorded=null replay=1',
  ],
  [
    'payload_text',
    'always',
    'llm_call',
    { response: inline('{"text":"forged"}', '2') },
    'response text under one hash diverged: recorded={"text":"hi"} replay={"text":"forged"}',
  ],
]

/**
 * Numbers that refer to an effect: the third record refers to the first in the recorded run, to the second in
 * the replayed one.
 */
const links = [
  'effect_start_id',
  'http_exchange_id',
  'timer_fire_id',
  'stream_chunk_of',
  'stream_end_of',
  'completion_of',
  'process_exit_of',
  'server_request_of',
  'server_answer_of',
  'ws_message_of',
  'http2_frame_of',
  'terminal_output_of',
  'terminal_session_of',
] as const

const covered = new Set<string>([...rows.map(([category]) => category), ...links])

function cover(category: string): string {
  covered.add(category)
  return category
}

function found(
  recorded: readonly TapeRecord[],
  replayed: readonly TapeRecord[],
  mode: FidelityMode,
  align: 'lcs' | 'position' = 'position',
) {
  return compare(recorded, replayed, mode, { align }).divergences.map(({ seq, category, message }) => ({
    seq,
    category,
    message,
  }))
}

function sample(kind: string): KnownKind {
  const known = sampleKinds[kind]
  if (known === undefined) throw new Error(`no sample of ${kind}`)
  return known
}

describe('one row for each field', () => {
  test.each(rows)('%s counts %s', (category, modes, kind, changed, message) => {
    const recorded = kindsOf(sample(kind))
    const replayed = kindsOf({ ...sample(kind), ...changed } as RecordKind)
    const divergence = { seq: 0, category, message }
    expect(found(recorded, replayed, 'byte_identical')).toEqual([divergence])
    expect(found(recorded, replayed, 'phase_aware')).toEqual([divergence])
    expect(found(recorded, replayed, 'semantic')).toEqual(modes === 'always' ? [divergence] : [])
    expect(found(recorded, replayed, 'semantic', 'lcs')).toEqual(modes === 'always' ? [divergence] : [])
    expect(found(recorded, recorded, 'byte_identical')).toEqual([])
    expect(found(replayed, replayed, 'byte_identical')).toEqual([])
  })

  test.each(links)('%s counts by what it refers to, not by its number', (category) => {
    const [, kind = '', field = ''] = /^(.*)_(id|of)$/.exec(category) ?? []
    const numberedAs = (...numbers: number[]): TapeRecord[] =>
      kindsOf(...numbers.map((number) => ({ ...sample(kind), [field]: number }) as RecordKind))
    expect(found(numberedAs(1, 2, 1), numberedAs(1, 2, 2), 'semantic')).toEqual([
      { seq: 2, category, message: `${kind} ${field} diverged: recorded=1 replay=2` },
    ])
    expect(found(numberedAs(1, 2, 1), numberedAs(1, 2, 1), 'byte_identical')).toEqual([])
    expect(found(numberedAs(1, 2, 3), numberedAs(1, 9, 3), 'semantic')).toHaveLength(1)
    expect(found(numberedAs(1, 2, 3, 4), numberedAs(1, 9, 10, 11), 'semantic')).toHaveLength(1)
  })
})

/**
 * A field that came into the table later than these rows: some value against another, made from its shape.
 */
const later = [...kindRules()].flatMap(([kind, { fields }]) =>
  fields
    .filter(({ counts, category }) => counts !== 'never' && !covered.has(category))
    .map((rule) => [rule.category, kind, rule] as const),
)

if (later.length > 0)
  describe('fields without a row of their own', () => {
    test.each(later)('%s', (category, kind, rule) => {
      const [one, other] = valuesOf(rule.shape)
      const [recorded, replayed] = [one, other].map((value) =>
        kindsOf({ ...sample(kind), [rule.name]: value } as RecordKind),
      ) as [TapeRecord[], TapeRecord[]]
      const divergences = found(recorded, replayed, 'byte_identical')
      expect(divergences.map((each) => [each.seq, each.category])).toEqual([[0, category]])
      expect(divergences[0]?.message).toContain(`${rule.thing} diverged: recorded=`)
      expect(found(recorded, recorded, 'byte_identical')).toEqual([])
      cover(category)
    })
  })

function valuesOf(shape: FieldShape): readonly [unknown, unknown] {
  switch (shape) {
    case 'plain':
      return [1, 2]
    case 'payload':
      return [inline('a', '1'), inline('b', '2')]
    case 'chunk':
      return [
        { form: 'text', text: 'a' },
        { form: 'text', text: 'b' },
      ]
    case 'headers':
      return [[['a', 'b']], []]
    case 'json':
    case 'conversation':
      return [{ a: 1 }, { a: 2 }]
  }
}

describe('whole records', () => {
  const one = record(sleep(5))
  test(cover('kind_mismatch'), () => {
    const other = kindsOf({ kind: 'file_delete', path: 'a' })
    expect(found([one], other, 'semantic')).toEqual([
      {
        seq: 0,
        category: 'kind_mismatch',
        message: 'record kind diverged: recorded=clock_sleep replay=file_delete',
      },
    ])
  })

  test.each([
    [
      cover('phase_mismatch'),
      { phase: 'runtime_finalize' as const },
      'record phase diverged: recorded=user_script replay=runtime_finalize',
    ],
    [cover('virtual_time_drift'), { virtualTimeMs: 3 }, 'virtual_time_ms diverged: recorded=0 replay=3'],
    [cover('monotonic_drift'), { monotonicMs: -1 }, 'monotonic_ms diverged: recorded=0 replay=-1'],
  ])('%s is strict', (category, changed, message) => {
    const other = { ...one, ...changed }
    expect(found([one], [other], 'byte_identical')).toEqual([{ seq: 0, category, message }])
    expect(found([one], [other], 'byte_identical', 'lcs')).toEqual([{ seq: 0, category, message }])
    expect(found([one], [other], 'semantic')).toEqual([])
  })

  test(`${cover('missing_in_replay')} and ${cover('missing_in_recorded')}, by position in upstream's words`, () => {
    const [short, long] = [kindsOf(sleep(1)), kindsOf(sleep(1), sleep(2), sleep(3))]
    expect(found(long, short, 'byte_identical')).toEqual([
      {
        seq: 1,
        category: 'missing_in_replay',
        message: 'replay tape ended at #1; recorded had 2 more record(s)',
      },
      {
        seq: 2,
        category: 'missing_in_replay',
        message: 'replay tape ended at #2; recorded had 1 more record(s)',
      },
    ])
    expect(found(short, long, 'semantic')).toEqual([
      {
        seq: 1,
        category: 'missing_in_recorded',
        message: 'replay produced an extra record at #1 (kind=clock_sleep)',
      },
      {
        seq: 2,
        category: 'missing_in_recorded',
        message: 'replay produced an extra record at #2 (kind=clock_sleep)',
      },
    ])
    expect(found(long, kindsOf(sleep(1), sleep(3)), 'semantic', 'lcs')).toEqual([
      {
        seq: 1,
        category: 'missing_in_replay',
        message: 'replay has no counterpart of recorded #1 (kind=clock_sleep)',
      },
    ])
  })

  test(`${cover('unknown_kind')}: equal bytes are equal`, () => {
    const later = (n: number): RecordKind => ({
      kind: 'unknown',
      name: 'later',
      json: `{"kind":"later","n":${n}}`,
    })
    expect(found(kindsOf(later(1)), kindsOf(later(1)), 'byte_identical')).toEqual([])
    expect(found(kindsOf(later(1)), kindsOf(later(2)), 'semantic')).toEqual([
      {
        seq: 0,
        category: 'unknown_kind',
        message:
          'record of unknown kind later diverged: recorded={"kind":"later","n":1} replay={"kind":"later","n":2}',
      },
    ])
  })

  test(`${cover('payload_damaged')} only with verifyPayloads`, () => {
    const forged = kindsOf(sample('mcp_message'))
    expect(compare(forged, forged, 'semantic').divergences).toEqual([])
    const report = compare(forged, forged, 'semantic', { verifyPayloads: true })
    expect(report.categories).toEqual({ payload_damaged: 2 })
    expect(report.divergences[0]?.message).toMatch(
      /^payload 1{64} of the recorded tape does not match its hash: its bytes have the hash [0-9a-f]{64}$/,
    )
  })
})

describe('outcome', () => {
  const write = (path: string, digit: string): RecordKind => ({
    kind: 'file_write',
    path,
    contentHash: hashOf(digit),
    lenBytes: 1,
  })
  const exit = (exitCode: number): RecordKind => ({ ...sample('process_spawn'), exitCode }) as RecordKind

  test(cover('outcome_fs_diff'), () => {
    const [recorded, replayed] = [
      kindsOf(write('b', '1'), write('a', '2')),
      kindsOf(write('b', '1'), { kind: 'file_delete', path: 'c' }),
    ]
    expect(found(recorded, replayed, 'outcome')).toEqual([
      {
        seq: null,
        category: 'outcome_fs_diff',
        message: 'final FS write set diverged: recorded=["a", "b"] replay=["b", "c"]',
      },
    ])
    expect(
      found(
        kindsOf(write('a', '1'), write('a', '2'), sleep(5)),
        kindsOf(sleep(1), write('a', '2')),
        'outcome',
      ),
    ).toEqual([])
  })

  test(cover('outcome_exit_code'), () => {
    expect(found(kindsOf(exit(1), exit(0)), kindsOf(exit(2)), 'outcome')).toEqual([
      {
        seq: null,
        category: 'outcome_exit_code',
        message: 'last subprocess exit code diverged: recorded=Some(0) replay=Some(2)',
      },
    ])
    expect(found(kindsOf(exit(0)), [], 'outcome')).toEqual([
      {
        seq: null,
        category: 'outcome_exit_code',
        message: 'last subprocess exit code diverged: recorded=Some(0) replay=None',
      },
    ])
    expect(found(kindsOf(exit(1), exit(0)), kindsOf(exit(0)), 'outcome')).toEqual([])
  })

  test(cover('outcome_llm_call_count'), () => {
    const [call, evaluation] = [sample('llm_call'), sample('decision_evaluation')]
    expect(found(kindsOf(call, call), kindsOf(call), 'outcome')).toEqual([
      {
        seq: null,
        category: 'outcome_llm_call_count',
        message: 'LLM call count diverged: recorded=2 replay=1',
      },
    ])
    expect(found(kindsOf(call, evaluation), kindsOf(call), 'outcome')).toEqual([])
  })
})

describe('the end of the runs, from their seals', () => {
  const seal = (facts: object): TapeRecord =>
    record(
      {
        kind: 'tape_seal',
        records: 1,
        chain: hashOf('1'),
        boundaries: {},
        exit: null,
        stdout: null,
        stderr: null,
        ...facts,
      } as RecordKind,
      {
        seq: 1,
      },
    )
  const run = (facts: object): TapeRecord[] => [record(sleep(1)), seal(facts)]

  test.each([
    [
      cover('run_exit'),
      { exit: { code: 0, signal: null } },
      { exit: { code: 1, signal: null } },
      'exit',
      true,
    ],
    [
      cover('run_stdout'),
      { stdout: { bytes: 1, hash: 'a' } },
      { stdout: { bytes: 1, hash: 'b' } },
      'stdout',
      false,
    ],
    [
      cover('run_stderr'),
      { stderr: { bytes: 1, hash: 'a' } },
      { stderr: { bytes: 2, hash: 'a' } },
      'stderr',
      false,
    ],
  ])('%s', (category, ours, theirs, name, inOutcome) => {
    const divergences = found(run(ours), run(theirs), 'semantic')
    expect(divergences.map((each) => each.category)).toEqual([category])
    expect(divergences[0]?.message).toContain(`${name} of the run diverged: recorded={`)
    expect(found(run(ours), run(theirs), 'outcome')).toHaveLength(inOutcome ? 1 : 0)
    expect(found(run(ours), run(ours), 'byte_identical')).toEqual([])
    expect(found(run(ours), run({}), 'byte_identical')).toEqual([])
  })

  test('the seal is no record', () => {
    const report = compare(run({}), [record(sleep(1))], 'byte_identical')
    expect([report.recordedRecords, report.replayRecords, report.divergenceCount]).toEqual([1, 1, 0])
  })
})

test('phase-aware: the program strictly, the winding-down without times and clock reads', () => {
  const finalize = (kind: RecordKind, virtualTimeMs: number): TapeRecord =>
    record(kind, { phase: 'runtime_finalize', virtualTimeMs })
  const recorded = numbered([
    record(sleep(1)),
    finalize(sleep(2), 5),
    finalize({ kind: 'clock_read', source: 'wall', valueMs: 1 }, 0),
  ])
  const replayed = numbered([finalize(sleep(2), 9), record(sleep(1), { virtualTimeMs: 1 })])
  expect(found(recorded, replayed, 'phase_aware')).toEqual([
    { seq: 0, category: 'virtual_time_drift', message: 'virtual_time_ms diverged: recorded=0 replay=1' },
  ])
})

test('every category that exists has a row', () => {
  // A replay notices these by itself: src/testbench has their tests.
  const ofReplay: ReadonlySet<string> = new Set(replayCategories)
  const ofTapes = [...categories].filter((category) => !ofReplay.has(category))
  expect(ofTapes.filter((category) => !covered.has(category))).toEqual([])
  expect([...covered].filter((category) => !categories.has(category))).toEqual([])
})
