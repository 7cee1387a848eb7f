/**
 * The last row of each file with content, so that a file is shown as a difference to its previous content.
 * Bounded by count and size.
 */
import { NONE } from '../layout/rows.ts'

const MAX_PATHS = 50_000
const MAX_CHARS = 8 * 1024 * 1024

export class PathHistory {
  readonly #rows = new Map<string, number>()
  #chars = 0

  /** The row before of this path, or NONE. The row becomes the last one if it `hasContent`. */
  visit(path: string, row: number, hasContent: boolean): number {
    const before = this.#rows.get(path)
    if (!hasContent) return before ?? NONE
    if (before === undefined) this.#chars += path.length
    else this.#rows.delete(path)
    this.#rows.set(path, row)
    while (this.#rows.size > MAX_PATHS || this.#chars > MAX_CHARS) this.#dropOldest()
    return before ?? NONE
  }

  #dropOldest(): void {
    const [oldest] = this.#rows.keys()
    if (oldest === undefined) return
    this.#rows.delete(oldest)
    this.#chars -= oldest.length
  }
}
