/**
 * One pass over a text that finds every place where a rule has to look: a hash of each four bytes against those of the probes.
 *
 * Works on low bytes. A character beyond U+00FF can only make a false place, never hide one, since every probe is compared by its low bytes as well;
 * the rule's check looks at the text itself.
 */
import { createProbeKernel, FLAG_BITS, HASH_FACTOR, KERNEL_WINDOW, type ProbeKernel, SECOND_FACTOR } from './probe-kernel.ts'

export type Place<T> = { readonly at: number; readonly owner: T }

const PROBE = 4
const OVERLAP = PROBE - 1
/** Below this the call into the kernel costs more than it saves. */
const SHORT = 64
const NONE: readonly never[] = []

export class ProbeScan<T> {
  readonly #kernel: ProbeKernel | null
  readonly #flags: Uint8Array
  readonly #beginnings = new Set<number>()
  readonly #wordBeginnings = new Set<number>()
  readonly #owners = new Map<number, T[]>()

  constructor(kernel: ProbeKernel | null = createProbeKernel()) {
    this.#kernel = kernel
    this.#flags = kernel?.flags ?? new Uint8Array(1 << FLAG_BITS)
  }

  add(probe: string, owner: T, atWordStart = false): void {
    const key = keyAt(probe, 0)
    this.#flags[hash(key)] = 1
    if (this.#kernel !== null) this.#kernel.secondFlags[Math.imul(key, SECOND_FACTOR) >>> (32 - FLAG_BITS)] = 1
    const beginnings = atWordStart ? this.#wordBeginnings : this.#beginnings
    for (let length = 1; length < PROBE; length += 1) beginnings.add(lowBytes(probe, 0, length))
    const owners = this.#owners.get(key)
    if (owners === undefined) this.#owners.set(key, [owner])
    else if (!owners.includes(owner)) owners.push(owner)
  }

  /** The longest proper beginning of a probe that the text ends with: 0 to 3 characters. */
  cutProbe(text: string, isWordStart: (text: string, at: number) => boolean): number {
    for (let length = Math.min(OVERLAP, text.length); length > 0; length -= 1) {
      const at = text.length - length
      const beginning = lowBytes(text, at, length)
      if (this.#beginnings.has(beginning) || (this.#wordBeginnings.has(beginning) && isWordStart(text, at))) return length
    }
    return 0
  }

  /** The places, in order. */
  inText(text: string): readonly Place<T>[] {
    if (text.length < PROBE) return NONE
    if (this.#kernel === null || text.length <= SHORT) return this.#scanText(text)
    const found: Place<T>[] = []
    for (let from = 0; from < text.length - OVERLAP; from += KERNEL_WINDOW - OVERLAP) {
      const window = from === 0 && text.length <= KERNEL_WINDOW ? text : text.slice(from, from + KERNEL_WINDOW)
      this.#scanWindow(this.#kernel, this.#kernel.text.write(window, 0, 'latin1'), from, found)
    }
    return found
  }

  inBytes(bytes: Uint8Array): readonly Place<T>[] {
    if (this.#kernel === null) return this.#scanText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
    const found: Place<T>[] = []
    for (let from = 0; from < bytes.byteLength - OVERLAP; from += KERNEL_WINDOW - OVERLAP) {
      const window = bytes.subarray(from, from + KERNEL_WINDOW)
      this.#kernel.text.set(window)
      this.#scanWindow(this.#kernel, window.byteLength, from, found)
    }
    return found
  }

  #scanWindow(kernel: ProbeKernel, length: number, base: number, found: Place<T>[]): void {
    const count = kernel.scan(length)
    for (let index = 0; index < count; index += 1) {
      const at = kernel.found[index] ?? 0
      if (at + PROBE <= length) this.#note(kernel.text.readInt32LE(at), base + at, found)
    }
  }

  #scanText(text: string): readonly Place<T>[] {
    let found: Place<T>[] | null = null
    let key = keyAt(text, 0)
    for (let at = 0; ; at += 1) {
      if (this.#flags[hash(key)] === 1) {
        found ??= []
        this.#note(key, at, found)
      }
      if (at + PROBE >= text.length) return found ?? NONE
      key = (key >>> 8) | ((text.charCodeAt(at + PROBE) & 255) << 24)
    }
  }

  #note(key: number, at: number, found: Place<T>[]): void {
    const owners = this.#owners.get(key)
    if (owners !== undefined) for (const owner of owners) found.push({ at, owner })
  }
}

function hash(key: number): number {
  return Math.imul(key, HASH_FACTOR) >>> (32 - FLAG_BITS)
}

function keyAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    ((text.charCodeAt(at + 3) & 255) << 24)
  )
}

/** The length is part of the number, so that `a` and `a\0` differ. */
function lowBytes(text: string, at: number, length: number): number {
  let number = length
  for (let index = 0; index < length; index += 1) number = (number << 8) | (text.charCodeAt(at + index) & 255)
  return number
}
