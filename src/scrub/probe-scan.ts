/**
 * One pass over a text that finds every place where a rule has to look: a hash of each four bytes against those of the probes.
 *
 * Works on low bytes. A character beyond U+00FF can only make a false place, never hide one, since every probe is compared by its low bytes as well;
 * the rule's check looks at the text itself.
 */
import { createProbeKernel, FLAG_BITS, HASH_FACTOR, KERNEL_WINDOW, type ProbeKernel, SECOND_FACTOR } from './probe-kernel.ts'

export type Place<T> = { readonly at: number; readonly owner: T }
type Added<T> = { readonly probes: () => readonly string[]; readonly owner: T; readonly atWordStart: boolean }

const PROBE = 4
const OVERLAP = PROBE - 1
/** Below this the call into the kernel costs more than it saves. */
const SHORT = 64
const NONE: readonly never[] = []

export class ProbeScan<T> {
  readonly #makeKernel: () => ProbeKernel | null
  /** Undefined until a text is long enough to be worth it. */
  #kernel: ProbeKernel | null | undefined
  readonly #flags = new Uint8Array(1 << FLAG_BITS)
  readonly #owners = new Map<number, readonly T[]>()
  /** What was added since the last look at a text. */
  #unindexed: Added<T>[] = []
  readonly #beginnings = new Set<number>()
  readonly #wordBeginnings = new Set<number>()
  /** Probes whose beginnings are not noted yet: only a stream asks for them. */
  #unnoted: Added<T>[] = []

  constructor(makeKernel: () => ProbeKernel | null = createProbeKernel) {
    this.#makeKernel = makeKernel
  }

  /** Probes as a rule has them; they are asked for when a text is looked at. */
  add(probes: () => readonly string[], owner: T, atWordStart = false): void {
    this.#unindexed.push({ probes, owner, atWordStart })
  }

  /** The longest proper beginning of a probe that the text ends with: 0 to 3 characters. */
  cutProbe(text: string, isWordStart: (text: string, at: number) => boolean): number {
    if (this.#unindexed.length > 0) this.#index()
    if (this.#unnoted.length > 0) this.#noteBeginnings()
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
    if (this.#unindexed.length > 0) this.#index()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#scanText(text)
    const found: Place<T>[] = []
    for (let from = 0; from < text.length - OVERLAP; from += KERNEL_WINDOW - OVERLAP) {
      const window = from === 0 && text.length <= KERNEL_WINDOW ? text : text.slice(from, from + KERNEL_WINDOW)
      this.#scanWindow(kernel, kernel.text.write(window, 0, 'latin1'), from, found)
    }
    return found
  }

  inBytes(bytes: Uint8Array): readonly Place<T>[] {
    if (this.#unindexed.length > 0) this.#index()
    const kernel = this.#kernelForLong()
    if (kernel === null) return this.#scanText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))
    const found: Place<T>[] = []
    for (let from = 0; from < bytes.byteLength - OVERLAP; from += KERNEL_WINDOW - OVERLAP) {
      const window = from === 0 && bytes.byteLength <= KERNEL_WINDOW ? bytes : bytes.subarray(from, from + KERNEL_WINDOW)
      kernel.text.set(window)
      this.#scanWindow(kernel, window.byteLength, from, found)
    }
    return found
  }

  #kernelForLong(): ProbeKernel | null {
    if (this.#kernel === undefined) {
      this.#kernel = this.#makeKernel()
      if (this.#kernel !== null) for (const key of this.#owners.keys()) flag(this.#kernel, key)
    }
    return this.#kernel
  }

  #index(): void {
    for (const added of this.#unindexed) {
      const alone = [added.owner]
      for (const probe of added.probes()) {
        const start = (probe.charCodeAt(0) & 255) | ((probe.charCodeAt(1) & 255) << 8) | ((probe.charCodeAt(2) & 255) << 16)
        for (let at = OVERLAP; at < probe.length; at += 1) {
          const key = start | ((probe.charCodeAt(at) & 255) << 24)
          const owners = this.#owners.get(key)
          if (owners === undefined) {
            this.#owners.set(key, alone)
            this.#flags[hash(key)] = 1
            if (this.#kernel !== undefined && this.#kernel !== null) flag(this.#kernel, key)
          } else if (!owners.includes(added.owner)) this.#owners.set(key, [...owners, added.owner])
        }
      }
      this.#unnoted.push(added)
    }
    this.#unindexed = []
  }

  #noteBeginnings(): void {
    for (const { probes, atWordStart } of this.#unnoted) {
      const beginnings = atWordStart ? this.#wordBeginnings : this.#beginnings
      for (const probe of probes()) for (let length = 1; length < PROBE; length += 1) beginnings.add(lowBytes(probe, 0, length))
    }
    this.#unnoted = []
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

function flag(kernel: ProbeKernel, key: number): void {
  kernel.flags[hash(key)] = 1
  kernel.secondFlags[Math.imul(key, SECOND_FACTOR) >>> (32 - FLAG_BITS)] = 1
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
