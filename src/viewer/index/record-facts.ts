/** What the index keeps of a record besides its place: how long it took, and its flags. */
import type { RecordKind } from '../../tape/kinds.ts'
import { NOTABLE_KINDS } from '../layout/lanes.ts'
import { FLAG } from '../layout/rows.ts'
import type { EffectState } from './open-effects.ts'

/** Milliseconds that ended with this record; NaN if that is not known. */
export function durationOf(kind: RecordKind, effect: EffectState | null, atMs: number): number {
  switch (kind.kind) {
    case 'mcp_json_rpc':
      return Math.max(0, kind.latencyMs)
    case 'process_spawn':
    case 'process_exit':
    case 'clock_sleep':
      return Math.max(0, kind.durationMs)
    case 'stream_chunk':
    case 'ws_message':
    case 'http2_frame':
    case 'server_request':
    case 'server_answer':
    case 'terminal_output':
    case 'mcp_message':
      return Number.NaN
    default:
      return effect === null ? Number.NaN : Math.max(0, atMs - effect.startMs)
  }
}

export function flagsOf(kind: RecordKind, name: string, effect: EffectState | null, masked: number): number {
  let flags = masked > 0 ? FLAG.masked : 0
  if (kind.kind === 'effect_start') flags |= FLAG.start
  if (isNotable(kind, name, effect?.isModelCall === true)) flags |= FLAG.notable
  switch (kind.kind) {
    case 'gap':
      return flags | FLAG.error
    case 'note':
      return flags | FLAG.warning
    case 'llm_call':
      return kind.error === undefined ? flags : flags | FLAG.error
    case 'http_exchange':
      return kind.error === undefined && (kind.status ?? 0) < 400 ? flags : flags | FLAG.error
    case 'stream_end':
    case 'fs_call':
      return kind.error === null ? flags : flags | FLAG.warning
    case 'process_spawn':
      return kind.exitCode === 0 ? flags : flags | FLAG.warning
    default:
      return flags
  }
}

/** What a model was sent and answered is shown by its call. */
function isNotable(kind: RecordKind, name: string, isModelCall: boolean): boolean {
  switch (kind.kind) {
    case 'http_exchange':
      return !isModelCall
    case 'ws_message':
      return !isModelCall && kind.message !== 'ping' && kind.message !== 'pong'
    case 'http2_frame':
      return !isModelCall && kind.frame === 'headers'
    default:
      return NOTABLE_KINDS.has(name)
  }
}
