/**
 * Counts what was replaced: for each rule and placeholder a count and the first places. Contains no secret.
 */
import type { ScrubReport } from './scrubber.ts'

/** Enough places to find them; the report of a long run stays small. */
const MOST_PLACES = 20
const MOST_ROWS = 10_000

export class ReportBook {
  readonly #rows = new Map<string, { rule: string; placeholder: string; count: number; places: string[] }>()
  #total = 0

  get total(): number {
    return this.#total
  }

  note(rule: string, placeholder: string, place: string): void {
    this.#total += 1
    let row = this.#rows.get(placeholder)
    if (row === undefined) {
      if (this.#rows.size >= MOST_ROWS) return
      row = { rule, placeholder, count: 0, places: [] }
      this.#rows.set(placeholder, row)
    }
    row.count += 1
    if (row.places.length < MOST_PLACES && !row.places.includes(place)) row.places.push(place)
  }

  report(): ScrubReport {
    const rules = [...this.#rows.values()].map((row) => ({ ...row, places: [...row.places] }))
    return { total: this.#total, rules }
  }
}
