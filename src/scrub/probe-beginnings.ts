import { isControl } from './chunk-ends.ts'

/** The beginnings of probes: a stream holds back a text that ends with one. Read when a stream needs them. */
type Probes = { readonly probes: () => readonly string[]; readonly atWordStart: boolean }

/** A probe has four characters. */
const LONGEST = 3

export class ProbeBeginnings {
  readonly #anywhere = new Set<number>()
  readonly #atWordStart = new Set<number>()
  #unread: Probes[] = []
  #hasControls = false

  add(probes: Probes): void {
    this.#unread.push(probes)
  }

  /** Whether a control character is in a beginning. */
  get hasControls(): boolean {
    if (this.#unread.length > 0) this.#read()
    return this.#hasControls
  }

  /** The length of the longest beginning that the text ends with. */
  longestAtEnd(text: string, isWordStart: (text: string, at: number) => boolean): number {
    if (this.#unread.length > 0) this.#read()
    for (let length = Math.min(LONGEST, text.length); length > 0; length -= 1) {
      const at = text.length - length
      const beginning = lowBytes(text, at, length)
      if (this.#anywhere.has(beginning) || (this.#atWordStart.has(beginning) && isWordStart(text, at)))
        return length
    }
    return 0
  }

  #read(): void {
    for (const { probes, atWordStart } of this.#unread) {
      const beginnings = atWordStart ? this.#atWordStart : this.#anywhere
      for (const probe of probes())
        for (let length = 1; length <= LONGEST; length += 1) {
          beginnings.add(lowBytes(probe, 0, length))
          this.#hasControls ||= isControl(probe.charCodeAt(length - 1) & 255)
        }
    }
    this.#unread = []
  }
}

/** The length is part of the number, so that `a` and `a\0` differ. */
function lowBytes(text: string, at: number, length: number): number {
  let number = length
  for (let index = 0; index < length; index += 1) number = (number << 8) | (text.charCodeAt(at + index) & 255)
  return number
}
