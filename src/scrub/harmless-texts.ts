/**
 * Caches short texts without a secret: header names, media types, hosts, which repeat with every request. The
 * cache is valid until the scrubber learns a new value. Its size is bounded, and it never contains a text
 * that was changed.
 *
 * Decision 0207.
 */
import type { Finder } from './finder.ts'
import type { Side } from './scrubber.ts'

const MOST = 2048
const LONGEST = 128

export class HarmlessTexts {
  readonly #finder: Finder
  readonly #known: Readonly<Record<Side, Set<string>>> = { sent: new Set(), received: new Set() }
  #version: number

  constructor(finder: Finder) {
    this.#finder = finder
    this.#version = finder.version
  }

  has(text: string, side: Side): boolean {
    return text.length <= LONGEST && this.#version === this.#finder.version && this.#known[side].has(text)
  }

  add(text: string, side: Side): void {
    if (text.length > LONGEST) return
    const known = this.#known[side]
    if (this.#version !== this.#finder.version || known.size >= MOST) this.#forget()
    known.add(text)
  }

  #forget(): void {
    this.#version = this.#finder.version
    this.#known.sent.clear()
    this.#known.received.clear()
  }
}
