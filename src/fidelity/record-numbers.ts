/**
 * Which record of the recorded run is which of the replayed one, by `seq`: for references between records. A
 * record that was paired names its counterpart; kept as the points where the distance changes.
 */
import { lastUpTo } from './effect-numbers.ts'

const MAX_SHIFTS = 100_000

export class RecordNumbers {
  readonly #recorded: number[] = []
  readonly #replayed: number[] = []
  #lastRecorded = Number.NEGATIVE_INFINITY
  #lastReplayed = Number.NEGATIVE_INFINITY
  #shift = 0

  /** True as long as every record has the same number in both runs. */
  get identical(): boolean {
    return this.#recorded.length === 0
  }

  pair(recorded: number, replayed: number): void {
    if (recorded <= this.#lastRecorded || replayed <= this.#lastReplayed) return
    this.#lastRecorded = recorded
    this.#lastReplayed = replayed
    if (replayed - recorded === this.#shift || this.#recorded.length >= MAX_SHIFTS) return
    this.#shift = replayed - recorded
    this.#recorded.push(recorded)
    this.#replayed.push(replayed)
  }

  agree(recorded: number, replayed: number): boolean {
    const at = lastUpTo(this.#recorded, recorded)
    if (at !== lastUpTo(this.#replayed, replayed)) return false
    return replayed - recorded === (at < 0 ? 0 : (this.#replayed[at] ?? 0) - (this.#recorded[at] ?? 0))
  }
}
