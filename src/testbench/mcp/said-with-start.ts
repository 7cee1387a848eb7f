/**
 * Records that the recorder wrote because of what the program said in the turn in which it started something: what it sent to a subprocess, the messages of
 * a client, a call that it gave up. On the tape they stand after that start, and on the tape of a replay they must do so too, whenever the program gets there.
 */
import type { TapeRecord } from '../../tape/index.ts'

export class SaidWithStart {
  readonly #waiting = new Map<number, TapeRecord[]>()
  #start: number | null = null

  /** The records from here on follow the start of this effect; null if an outcome came in between. */
  startedBy(effect: number | null): void {
    this.#start = effect
  }

  /** True if the record was kept for the start that it follows. */
  belongs(record: TapeRecord): boolean {
    if (this.#start === null || !isSaid(record)) return false
    const waiting = this.#waiting.get(this.#start)
    if (waiting === undefined) this.#waiting.set(this.#start, [record])
    else waiting.push(record)
    return true
  }

  take(effect: number): readonly TapeRecord[] {
    const waiting = this.#waiting.get(effect) ?? []
    this.#waiting.delete(effect)
    return waiting
  }
}

function isSaid({ kind }: TapeRecord): boolean {
  switch (kind.kind) {
    case 'mcp_message':
    case 'mcp_json_rpc':
      return true
    case 'stream_chunk':
      return kind.direction === 'out'
    case 'stream_end':
      return kind.closedBy !== undefined
    default:
      return false
  }
}
