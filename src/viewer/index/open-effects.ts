/**
 * Follows the effects of a tape while it is read: where each began, in which lane, and which row ended it.
 *
 * Bounded: of effects that never end, only the newest are kept, and of those that ended only a few, because
 * the record that sums an effect up (`llm_call`, `process_spawn`) comes soon after its end.
 */
import type { RecordKind } from '../../tape/kinds.ts'
import { laneNumber, laneOfBoundary } from '../layout/lanes.ts'
import { NONE } from '../layout/rows.ts'

export type EffectState = {
  readonly startRow: number
  readonly startMs: number
  readonly lane: number
  /** The exchange is the wire of a call of a model. */
  readonly isModelCall: boolean
}

const MAX_OPEN = 200_000
const MAX_ENDED = 8192

export class OpenEffects {
  readonly #open = new Map<number, EffectState>()
  readonly #ended = new Map<number, EffectState>()

  start(id: number, row: number, atMs: number, boundary: string, hasRequest: boolean): EffectState {
    const isModelCall = boundary === 'network' && hasRequest
    const state = { startRow: row, startMs: atMs, lane: laneNumber(laneOfBoundary(boundary)), isModelCall }
    remember(this.#open, id, state, MAX_OPEN)
    return state
  }

  of(id: number): EffectState | null {
    return id === NONE ? null : (this.#open.get(id) ?? this.#ended.get(id) ?? null)
  }

  end(id: number): void {
    const state = this.#open.get(id)
    if (state === undefined) return
    this.#open.delete(id)
    remember(this.#ended, id, state, MAX_ENDED)
  }
}

/** The number of the effect that a record belongs to, or NONE. */
export function effectOf(kind: RecordKind): number {
  switch (kind.kind) {
    case 'effect_start':
    case 'http_exchange':
    case 'timer_fire':
      return kind.id
    case 'stream_chunk':
    case 'ws_message':
    case 'http2_frame':
    case 'stream_end':
    case 'process_exit':
    case 'server_request':
    case 'server_answer':
    case 'completion':
    case 'terminal_output':
      return kind.of
    case 'clock_sleep':
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'fs_call':
    case 'terminal_session':
      return kind.of ?? NONE
    case 'process_spawn':
      return kind.of ?? ioEffect(kind.io)
    case 'llm_call':
    case 'mcp_json_rpc':
    case 'mcp_message':
      return kind.wire ?? NONE
    default:
      return NONE
  }
}

/** True if no record of the effect is expected after this one, but for one that sums it up. */
export function endsEffect(kind: RecordKind): boolean {
  switch (kind.kind) {
    case 'timer_fire':
    case 'clock_sleep':
    case 'completion':
    case 'file_read':
    case 'file_write':
    case 'file_delete':
    case 'fs_call':
    case 'terminal_session':
    case 'process_spawn':
      return true
    case 'http_exchange':
      return kind.responseBody !== undefined || kind.error !== undefined
    case 'stream_end':
      return kind.stream === undefined
    default:
      return false
  }
}

function ioEffect(io: unknown): number {
  if (typeof io !== 'object' || io === null || !('effect' in io)) return NONE
  return typeof io.effect === 'number' ? io.effect : NONE
}

function remember(map: Map<number, EffectState>, id: number, state: EffectState, limit: number): void {
  map.delete(id)
  map.set(id, state)
  if (map.size <= limit) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
