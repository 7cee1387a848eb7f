/**
 * The text that a rule's check reads, and whether the check has read up to its end.
 *
 * While more text may follow (`final` is false), a check that has read past the end could decide differently
 * with more text. `touchedEnd` records that, so no rule needs its own code for text that is cut off: the
 * finder holds back what is undecided.
 *
 * Decision 0296.
 */
import type { CharClass } from './char-class.ts'

let nextId = 1
/** Optional characters that such an expression includes: `_id`. */
const LONGEST_OPTIONAL = 4
const MOST_RUNS = 8

export class Input {
  readonly text: string
  readonly final: boolean
  touchedEnd = false
  /** The offset from which the text is undecided, if it is before the place of the probe. */
  undecidedFrom = Number.POSITIVE_INFINITY
  /** Identifies a text without keeping a reference to it. */
  readonly id = nextId++

  readonly #runs: { readonly table: CharClass; readonly from: number; readonly end: number }[] = []

  constructor(text: string, final: boolean) {
    this.text = text
    this.final = final
  }

  /** The character at `at`; empty beyond the end. */
  char(at: number): string {
    if (at < this.text.length) return this.text.charAt(at)
    this.touchedEnd = true
    return ''
  }

  isIn(table: CharClass, at: number): boolean {
    if (at >= this.text.length) {
      this.touchedEnd = true
      return false
    }
    const code = this.text.charCodeAt(at)
    return code < 256 && table[code] === 1
  }

  /** The end of the run of such characters that begins at `at`; stops after `limit` characters. */
  runEnd(table: CharClass, at: number, limit = Number.POSITIVE_INFINITY): number {
    const { text } = this
    if (limit === Number.POSITIVE_INFINITY) return this.#wholeRunEnd(table, at)
    const stop = Math.min(text.length, at + limit)
    let end = at
    for (; end < stop; end += 1) {
      const code = text.charCodeAt(end)
      if (code > 255 || table[code] !== 1) return end
    }
    if (end < at + limit) this.touchedEnd = true
    return end
  }

  /** Caches the last runs: in a row of possible beginnings each would walk to the same end. */
  #wholeRunEnd(table: CharClass, at: number): number {
    let run = this.#runs.find((known) => known.table === table && at >= known.from && at <= known.end)
    if (run === undefined) {
      let end = at
      for (; end < this.text.length; end += 1) {
        const code = this.text.charCodeAt(end)
        if (code > 255 || table[code] !== 1) break
      }
      run = { table, from: at, end }
      this.#runs.unshift(run)
      if (this.#runs.length > MOST_RUNS) this.#runs.pop()
    }
    if (run.end === this.text.length) this.touchedEnd = true
    return run.end
  }

  startsWith(word: string, at: number): boolean {
    const { text } = this
    if (text.startsWith(word, at)) return true
    if (at + word.length > text.length && word.startsWith(text.slice(at))) this.touchedEnd = true
    return false
  }

  /** `lower` in lower case, ASCII. */
  startsWithAnyCase(lower: string, at: number): boolean {
    for (let index = 0; index < lower.length; index += 1) {
      if (at + index >= this.text.length) {
        this.touchedEnd = true
        return false
      }
      const code = this.text.charCodeAt(at + index)
      if ((code >= 0x41 && code <= 0x5a ? code + 0x20 : code) !== lower.charCodeAt(index)) return false
    }
    return true
  }

  /** The match of a sticky expression at `at`; it reads at most `most` characters. */
  match(expression: RegExp, at: number, most: number): RegExpExecArray | null {
    expression.lastIndex = 0
    const found = expression.exec(this.text.slice(at, at + most))
    const needed = found === null ? most : found[0].length + LONGEST_OPTIONAL
    if (at + needed > this.text.length) this.touchedEnd = true
    return found
  }
}
