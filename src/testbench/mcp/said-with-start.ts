/**
 * Records that the recorder wrote because of what a client posted (its messages, a call that it gave up): on the tape they stand right after the start of
 * the request, and on the tape of a replay they must do so too, whenever the program gets there.
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
    const { kind } = record.kind
    if (this.#start === null || (kind !== 'mcp_message' && kind !== 'mcp_json_rpc')) return false
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
