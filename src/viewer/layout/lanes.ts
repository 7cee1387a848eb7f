/** Which lane of the timeline a record belongs to: by its kind, or by the effect that it is part of. */
import { LANES, type Lane } from '../protocol/rows.ts'

const BY_KIND: Readonly<Record<string, Lane>> = {
  llm_call: 'llm',
  decision_evaluation: 'llm',
  model_job: 'llm',
  mcp_json_rpc: 'mcp',
  mcp_message: 'mcp',
  http_exchange: 'network',
  server_request: 'network',
  server_answer: 'network',
  ws_message: 'network',
  http2_frame: 'network',
  file_read: 'files',
  file_write: 'files',
  file_delete: 'files',
  file_state: 'files',
  fs_call: 'files',
  process_spawn: 'processes',
  process_exit: 'processes',
  terminal_session: 'terminal',
  terminal_output: 'terminal',
  clock_read: 'clock',
  clock_sleep: 'clock',
  timer_fire: 'clock',
  random_read: 'inputs',
  env_read: 'inputs',
  stdin_read: 'inputs',
  gap: 'findings',
  note: 'findings',
  damage: 'findings',
  torn: 'findings',
}

const BY_BOUNDARY: Readonly<Record<string, Lane>> = {
  network: 'network',
  process: 'processes',
  terminal: 'terminal',
  filesystem: 'files',
  clock: 'clock',
  random: 'inputs',
  env: 'inputs',
  stdio: 'inputs',
  mcp: 'mcp',
}

const NUMBERS = new Map<Lane, number>(LANES.map((lane, number) => [lane, number]))

export function laneNumber(lane: Lane): number {
  return NUMBERS.get(lane) ?? 0
}

/** Null for a kind that belongs to the lane of its effect, or to none. */
export function laneOfKind(kind: string): Lane | null {
  return Object.hasOwn(BY_KIND, kind) ? (BY_KIND[kind] ?? null) : null
}

export function laneOfBoundary(boundary: string): Lane {
  return Object.hasOwn(BY_BOUNDARY, boundary) ? (BY_BOUNDARY[boundary] ?? 'other') : 'other'
}

/** Kinds shown in the story of a run, one row per event. */
export const NOTABLE_KINDS: ReadonlySet<string> = new Set([
  'llm_call',
  'decision_evaluation',
  'mcp_json_rpc',
  'server_request',
  'server_answer',
  'file_write',
  'file_delete',
  'process_spawn',
  'terminal_session',
  'clock_sleep',
  'gap',
  'note',
  'damage',
  'torn',
])
