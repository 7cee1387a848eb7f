/**
 * Which number of the recorded run is which of the replayed one. `seq` and the ids of effects only number: one more record shifts all that follow,
 * and that shift is no difference. So a number is compared by what it refers to.
 *
 * Kept as the points where the shift changes, not as a table: equal runs cost nothing, and a hundred edits cost a hundred entries.
 */
const MAX_SHIFTS = 100_000

export class Numbering {
  /** From which recorded number on, and by how much the replayed one differs. */
  readonly #from: number[] = []
  readonly #shift: number[] = []
  #last = Number.NEGATIVE_INFINITY

  /** True as long as every number is its own counterpart. */
  get identical(): boolean {
    return this.#from.length === 0
  }

  /** Two numbers that name the same thing in both runs. Only the first time counts. */
  define(recorded: number, replayed: number): void {
    if (recorded <= this.#last) return
    this.#last = recorded
    const shift = replayed - recorded
    if (shift === (this.#shift.at(-1) ?? 0) || this.#from.length >= MAX_SHIFTS) return
    this.#from.push(recorded)
    this.#shift.push(shift)
  }

  /** The counterpart of a recorded number, or null if nothing with this number, or a later one, has been paired. */
  counterpart(recorded: number): number | null {
    if (recorded > this.#last) return null
    let low = 0
    let high = this.#from.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#from[middle] ?? 0) <= recorded) low = middle + 1
      else high = middle
    }
    return recorded + (this.#shift[low - 1] ?? 0)
  }

  /** True if the two numbers refer to the same thing; the first reference to a thing decides what that is. */
  agree(recorded: number, replayed: number): boolean {
    const known = this.counterpart(recorded)
    if (known === null) this.define(recorded, replayed)
    return known === null || known === replayed
  }
}
