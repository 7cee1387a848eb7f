/**
 * The records of a tape that a replay uses. A session that replays only some boundaries does not use the
 * inputs of the others: their reads, their effects and all deliveries of those are skipped.
 *
 * Make a new selection for each pass over a tape, from its first record on: the start of an effect decides
 * which later records belong to it.
 */
import type { BoundaryName } from '../../boundaries/names.ts'
import type { TapeRecord } from '../../tape/index.ts'

export type TapeSelection = () => (record: TapeRecord) => boolean

export const everything: TapeSelection = () => () => true

export function onlyBoundaries(captured: ReadonlySet<BoundaryName>): TapeSelection {
  const has = (boundary: string): boolean =>
    boundary === 'offthread' || boundary === 'worker' || captured.has(boundary as BoundaryName)
  return () => {
    const leftOut = new Set<number>()
    return ({ kind }) => {
      switch (kind.kind) {
        case 'clock_read':
          return has('clock')
        case 'random_read':
          return has('random')
        case 'env_read':
          return has(
            kind.api?.startsWith('process.stdin') === true
              ? 'stdio'
              : kind.api === 'node-pty'
                ? 'terminal'
                : 'env',
          )
        case 'effect_start':
          if (!has(kind.boundary)) leftOut.add(kind.id)
          return has(kind.boundary)
        case 'gap':
          return has(kind.boundary)
        case 'timer_fire':
        case 'http_exchange':
          return !leftOut.has(kind.id)
        case 'clock_sleep':
          return kind.of === undefined ? has('clock') : !leftOut.has(kind.of)
        case 'completion':
        case 'stream_chunk':
        case 'stream_end':
          return !leftOut.has(kind.of)
        case 'terminal_output':
        case 'terminal_session':
          return has('terminal')
        case 'file_read':
        case 'file_write':
        case 'file_delete':
        case 'fs_call':
        case 'file_state':
          return has('filesystem')
        case 'process_spawn':
          return has('process')
        case 'mcp_json_rpc':
        case 'mcp_message':
          return kind.wire === undefined || !leftOut.has(kind.wire)
        default:
          return true
      }
    }
  }
}
