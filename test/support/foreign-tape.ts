/** Tapes as Harn writes them, made row by row, and programs that are replayed against them. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentHash, utf8 } from '../../src/base/index.ts'
import { requestDigest } from '../../src/llm/digest.ts'
import { openaiChat } from '../../src/llm/openai-chat.ts'
import type { ReplayReport } from '../../src/testbench/index.ts'
import { reprise } from './cli.ts'
import { tempFolder } from './temp-folder.ts'

export const START_MS = 1_767_225_600_000

/** A kind as it stands on a line, and bytes that its tape has in the CAS. */
export type Row = { readonly kind: object; readonly cas?: readonly string[]; readonly phase?: string }

const inline = (text: string) => ({ content_hash: contentHash(utf8(text)), text })
const content = (text: string) => ({
  content_hash: contentHash(utf8(text)),
  len_bytes: utf8(text).byteLength,
})

export const rows = {
  wall: (value: number): Row => ({ kind: { kind: 'clock_read', source: 'wall', value_ms: value } }),
  monotonic: (value: number): Row => ({ kind: { kind: 'clock_read', source: 'monotonic', value_ms: value } }),
  sleep: (duration: number): Row => ({ kind: { kind: 'clock_sleep', duration_ms: duration } }),
  /** A file that was read; `payload` false: the CAS does not have it. */
  read: (path: string, text: string, payload = true): Row => ({
    kind: { kind: 'file_read', path, ...content(text) },
    ...(payload ? { cas: [text] } : {}),
  }),
  write: (path: string, text: string): Row => ({ kind: { kind: 'file_write', path, ...content(text) } }),
  remove: (path: string): Row => ({ kind: { kind: 'file_delete', path } }),
  spawn: (program: string, args: readonly string[], stdout: string, exitCode = 0): Row => ({
    kind: {
      kind: 'process_spawn',
      program,
      args,
      cwd: null,
      exit_code: exitCode,
      duration_ms: 1,
      stdout_payload: inline(stdout),
      stderr_payload: inline(''),
    },
  }),
  llm: (prompt: string, response: object): Row => {
    const whole = { ...ANSWER, ...response }
    const surface = openaiChat.surface({ messages: [{ role: 'user', content: prompt }] })
    return {
      kind: {
        kind: 'llm_call',
        request_digest: requestDigest(surface, whole.model),
        response: inline(JSON.stringify(whole)),
      },
    }
  },
  mcp: (method: string, params: object, response: object): Row => {
    const request = JSON.stringify({ jsonrpc: '2.0', method, params })
    const answer = JSON.stringify({ id: 7, jsonrpc: '2.0', ...response })
    return {
      kind: {
        kind: 'mcp_json_rpc',
        server: 'github',
        method,
        request_digest: contentHash(utf8(request)),
        response_digest: contentHash(utf8(answer)),
        latency_ms: 1,
        request_payload: inline(request),
        response_payload: inline(answer),
      },
    }
  },
}

const ANSWER = {
  text: '',
  tool_calls: [] as readonly object[],
  input_tokens: 5,
  output_tokens: 3,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  model: 'mock',
  provider: 'mock',
  thinking: null,
  thinking_summary: null,
  stop_reason: null,
  blocks: [],
  logprobs: [],
}

/** The time goes on with each sleep. */
export function foreignTape(made: readonly Row[]): { readonly folder: string; readonly tape: string } {
  const folder = join(tempFolder(), 'program')
  mkdirSync(folder)
  const tape = join(folder, 'run.tape')
  let sleptMs = 0
  const lines = made.map(({ kind, phase = 'user_script' }, seq) => {
    if ('duration_ms' in kind && 'kind' in kind && kind.kind === 'clock_sleep')
      sleptMs += Number(kind.duration_ms)
    const times = `"virtual_time_ms":${START_MS + sleptMs},"monotonic_ms":${sleptMs}`
    return `{"type":"record","seq":${seq},"phase":"${phase}",${times},"kind":${JSON.stringify(kind)}}\n`
  })
  const header = `{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":${START_MS},"script_path":null,"argv":[]}\n`
  writeFileSync(tape, header + lines.join(''))
  const payloads = made.flatMap(({ cas = [] }) => cas)
  if (payloads.length > 0) mkdirSync(`${tape}.cas`)
  for (const text of payloads) writeFileSync(`${tape}.cas/${contentHash(utf8(text))}`, text)
  return { folder, tape }
}

export type ForeignRun = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly report: ReplayReport
}

/** Replays the tape with a program, as a user does. */
export async function replayForeign(
  tape: string,
  folder: string,
  source: string,
  options: {
    readonly name?: string
    readonly args?: readonly string[]
    /** The program may import packages. */
    readonly modules?: boolean
  } = {},
): Promise<ForeignRun> {
  const { name = 'agent.mjs', args = [], modules = false } = options
  if (modules)
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  writeFileSync(join(folder, name), source)
  const report = join(folder, 'report.json')
  const run = await reprise(['replay', tape, '--report', report, ...args, '--', process.execPath, name], {
    cwd: folder,
  })
  return { ...run, report: JSON.parse(readFileSync(report, 'utf8')) }
}
