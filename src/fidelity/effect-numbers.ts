/**
 * The ids of effects in both runs. An id is a number given in order, so one effect more or less shifts all
 * that follow; that shift is no difference. A shift is accepted where an effect that only one run has
 * explains it, or where it stays: anything else is a number that refers to another effect.
 *
 * Kept as the points where the shift changes, not as a table: equal runs cost nothing. Symmetrical in the two
 * runs.
 */
const MAX_SHIFTS = 10_000

export class EffectNumbers {
  /** From which numbers on the runs differ by another amount; both lists rise. */
  readonly #recorded: number[] = []
  readonly #replayed: number[] = []
  #lastRecorded = Number.NEGATIVE_INFINITY
  #lastReplayed = Number.NEGATIVE_INFINITY
  /**
   * Effects that only the replay has, less those that only the recording has, since the shift was last seen.
   */
  #pending = 0
  /** A shift that was refused once; seen again, it is accepted. */
  #refused: number | null = null

  copy(): EffectNumbers {
    const other = new EffectNumbers()
    other.#recorded.push(...this.#recorded)
    other.#replayed.push(...this.#replayed)
    other.#lastRecorded = this.#lastRecorded
    other.#lastReplayed = this.#lastReplayed
    other.#pending = this.#pending
    other.#refused = this.#refused
    return other
  }

  /** True if the two numbers refer to the same effect, as far as is known now. */
  agree(recorded: number, replayed: number): boolean {
    const shift = replayed - recorded
    if (this.#recorded.length === 0 && shift === 0) return true
    if (this.#isKnown(recorded, replayed)) return true
    return (
      this.#areNew(recorded, replayed) &&
      shift !== this.#shift &&
      (this.#explained(shift) || shift === this.#refused)
    )
  }

  /** As `agree`, for a pair that has been placed: remembers the numbers. */
  pair(recorded: number, replayed: number): boolean {
    const known = this.#isKnown(recorded, replayed)
    const agreed = known || this.agree(recorded, replayed)
    const shift = replayed - recorded
    if (!agreed) {
      this.#refused = shift
      return false
    }
    if (!this.#areNew(recorded, replayed)) return true
    if (!known && this.#recorded.length < MAX_SHIFTS) {
      this.#recorded.push(recorded)
      this.#replayed.push(replayed)
    }
    this.#lastRecorded = recorded
    this.#lastReplayed = replayed
    this.#pending = 0
    this.#refused = null
    return true
  }

  /** A record that only one run has. If it is the first of an effect, later numbers may be shifted. */
  onlyRecorded(recorded: number): void {
    if (recorded <= this.#lastRecorded) return
    this.#lastRecorded = recorded
    this.#pending -= 1
  }

  onlyReplayed(replayed: number): void {
    if (replayed <= this.#lastReplayed) return
    this.#lastReplayed = replayed
    this.#pending += 1
  }

  /**
   * A number of either run in words that both share: equal exactly for numbers that are known to be the same
   * effect's.
   */
  spelled(number: number, side: 'recorded' | 'replayed'): string {
    const points = side === 'recorded' ? this.#recorded : this.#replayed
    const at = lastUpTo(points, number)
    return `${at}+${number - (points[at] ?? 0)}`
  }

  get #shift(): number {
    return this.#shiftAt(this.#recorded.length - 1)
  }

  #explained(shift: number): boolean {
    return this.#pending !== 0 && shift === this.#shift + this.#pending
  }

  #areNew(recorded: number, replayed: number): boolean {
    return recorded > this.#lastRecorded && replayed > this.#lastReplayed
  }

  #isKnown(recorded: number, replayed: number): boolean {
    const at = lastUpTo(this.#recorded, recorded)
    return at === lastUpTo(this.#replayed, replayed) && replayed - recorded === this.#shiftAt(at)
  }

  #shiftAt(at: number): number {
    return at < 0 ? 0 : (this.#replayed[at] ?? 0) - (this.#recorded[at] ?? 0)
  }
}

/** Index of the last entry that is not greater, or -1. */
export function lastUpTo(sorted: readonly number[], number: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= number) low = middle + 1
    else high = middle
  }
  return low - 1
}
