/**
 * One pass over a text that finds every offset at which a rule must check: it compares a hash of each four
 * bytes with those of the probes.
 *
 * Works on low bytes. A character beyond U+00FF can only add a false offset, never hide one, because every
 * probe is compared by its low bytes as well. The rule's check then reads the text itself.
 *
 * Decision 0021.
 */
import { isAsciiBlock, mayBeStretch } from './base64-alphabet.ts'
import { codeRun, isCodeBlock } from './code-alphabet.ts'
import type { KnownIndex } from './known-index.ts'
import { ProbeBeginnings } from './probe-beginnings.ts'
import {
  BLOCK,
  createProbeKernel,
  FLAG_BITS,
  flag,
  hash,
  KERNEL_WINDOW,
  PERCENT_MARK,
  type ProbeKernel,
  writeBytes,
  writeText,
  ZERO_MARK,
} from './probe-kernel.ts'
import { NOTHING, type Place, type Scanned } from './scanned.ts'
import { hasWide, isWide } from './utf16-view.ts'
import { fourAt, WINDOW } from './window-hash.ts'

type Added<T> = { readonly probes: () => readonly string[]; readonly owner: T; readonly atWordStart: boolean }

const PROBE = 4
const OVERLAP = PROBE - 1
/** A multiple of four, and enough for the eight characters that the index of known values needs. */
const WINDOW_OVERLAP = 8
/** The distance between the offsets at which the windows of the kernel begin. */
const STEP = KERNEL_WINDOW - WINDOW_OVERLAP
/** Below this length the call into the kernel costs more than it saves. */
export const SHORT = 64
const NONE: readonly never[] = []
const NO_PLACES: readonly number[] = []

type Building<T> = {
  readonly places: Place<T>[]
  readonly base64: number[]
  readonly codes: number[]
  hasPercent: boolean
  mayBeWide: boolean
}

export class ProbeScan<T> {
  readonly #makeKernel: () => ProbeKernel | null
  /** Undefined until a text is long enough to need it. */
  #kernel: ProbeKernel | null | undefined
  readonly #flags = new Uint8Array(1 << FLAG_BITS)
  readonly #owners = new Map<number, readonly T[]>()
  /** Probes added since the last scan. */
  #unindexed: Added<T>[] = []
  readonly #beginnings = new ProbeBeginnings()

  #findsCodes = false

  #wide: { readonly index: KnownIndex; readonly owner: T } | null = null

  constructor(makeKernel: () => ProbeKernel | null = createProbeKernel) {
    this.#makeKernel = makeKernel
  }

  /** Takes the probes of a rule; they are read when the first text is scanned. */
  add(probes: () => readonly string[], owner: T, atWordStart = false): void {
    this.#unindexed.push({ probes, owner, atWordStart })
  }

  /** The offsets of the index are reported too, once it contains a value. */
  addIndex(index: KnownIndex, owner: T): void {
    this.#wide = { index, owner }
    if (this.#kernel !== undefined && this.#kernel !== null) index.mirrorTo(this.#kernel.windowBits)
  }

  /** From now on runs of codes are found. */
  findCodes(): void {
    this.#findsCodes = true
  }

  /** The longest proper beginning of a probe that the text ends with: 0 to 3 characters. */
  cutProbe(text: string, isWordStart: (text: string, at: number) => boolean): number {
    if (this.#unindexed.length > 0) this.#index()
    return this.#beginnings.longestAtEnd(text, isWordStart)
  }

  /** The offsets, in order. */
  inText(text: string): readonly Place<T>[] {
    if (text.length < PROBE) return NONE
    if (this.#unindexed.length > 0) this.#index()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#scanText(text)
    const found: Place<T>[] = []
    for (let window = 0; window < text.length - OVERLAP; window += STEP)
      this.#scanWindow(kernel, writeText(kernel, text, window), window, found)
    return found
  }

  inBytes(bytes: Uint8Array): readonly Place<T>[] {
    if (this.#unindexed.length > 0) this.#index()
    const kernel = this.#kernelForLong()
    if (kernel === null) return this.#scanText(latin1Of(bytes))
    const found: Place<T>[] = []
    for (let window = 0; window < bytes.byteLength - OVERLAP; window += STEP)
      this.#scanWindow(kernel, writeBytes(kernel, bytes, window), window, found)
    return found
  }

  /** The offsets, and where the text may be encoded. */
  scanText(text: string): Scanned<T> {
    if (text.length < PROBE) return NOTHING
    if (this.#unindexed.length > 0) this.#index()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#scanShort(text)
    const scanned = { places: [], base64: [], codes: [], hasPercent: false, mayBeWide: false }
    for (let window = 0; window < text.length - OVERLAP; window += STEP)
      this.#scanAll(kernel, writeText(kernel, text, window), window, scanned)
    return scanned
  }

  scanBytes(bytes: Uint8Array): Scanned<T> {
    if (bytes.byteLength < PROBE) return NOTHING
    if (this.#unindexed.length > 0) this.#index()
    const kernel = this.#kernelForLong()
    if (kernel === null) return this.#scanShort(latin1Of(bytes))
    const scanned = { places: [], base64: [], codes: [], hasPercent: false, mayBeWide: false }
    for (let window = 0; window < bytes.byteLength - OVERLAP; window += STEP)
      this.#scanAll(kernel, writeBytes(kernel, bytes, window), window, scanned)
    return scanned
  }

  /**
   * The same for bytes after this text, as one text. Null if it does not fit into one call of the kernel.
   */
  scanAfter(before: string, bytes: Uint8Array): Scanned<T> | null {
    if (this.#unindexed.length > 0) this.#index()
    const length = before.length + bytes.byteLength
    const kernel = length < KERNEL_WINDOW ? this.#kernelForLong() : null
    if (kernel === null) return null
    kernel.text.write(before, 0, 'latin1')
    kernel.text.set(bytes, before.length)
    const scanned = { places: [], base64: [], codes: [], hasPercent: false, mayBeWide: false }
    this.#scanAll(kernel, length, 0, scanned)
    return scanned
  }

  #scanAll(kernel: ProbeKernel, length: number, base: number, scanned: Building<T>): void {
    this.#scanWindow(kernel, length, base, scanned.places, 1)
    const result = kernel.found_blocks()
    if ((result & PERCENT_MARK) !== 0) scanned.hasPercent = true
    // A text across two windows is read as a whole later.
    const isAlone = base === 0 && length < KERNEL_WINDOW
    if ((result & ZERO_MARK) !== 0 && (!isAlone || hasWide(kernel.text, length))) scanned.mayBeWide = true
    for (let index = 0; index < result >> 2; index += 1) {
      const at = kernel.blocks[index] ?? 0
      if (at + BLOCK <= length && mayBeStretch(kernel.text, at, length)) scanned.base64.push(base + at)
    }
    if (this.#findsCodes) this.#addCodes(kernel, length, base, scanned.codes)
  }

  #addCodes(kernel: ProbeKernel, length: number, base: number, codes: number[]): void {
    const count = kernel.codes(length)
    let done = 0
    for (let index = 0; index < count; index += 1) {
      const at = kernel.found[index] ?? 0
      if (at < done || at + BLOCK > length) continue
      const { hasCodes, end } = codeRun(kernel.text, at, done, length)
      if (hasCodes) codes.push(base + at)
      done = end
    }
  }

  #scanShort(text: string): Scanned<T> {
    const places = this.#scanText(text)
    let base64 = NO_PLACES
    for (let at = 0; at + BLOCK <= text.length; at += BLOCK)
      if (isAsciiBlock(text, at)) base64 = [...base64, at]
    let codes = NO_PLACES
    if (this.#findsCodes)
      for (let at = 0; at + BLOCK <= text.length; at += BLOCK)
        if (isCodeBlock(text, at)) codes = [...codes, at]
    return { places, base64, codes, hasPercent: text.includes('%'), mayBeWide: isWide(text) }
  }

  #kernelForLong(): ProbeKernel | null {
    if (this.#kernel === undefined) {
      this.#kernel = this.#makeKernel()
      if (this.#kernel !== null) {
        for (const key of this.#owners.keys()) flag(this.#kernel, key)
        this.#wide?.index.mirrorTo(this.#kernel.windowBits)
      }
    }
    return this.#kernel
  }

  #index(): void {
    for (const added of this.#unindexed) {
      const alone = [added.owner]
      for (const probe of added.probes()) {
        const start =
          (probe.charCodeAt(0) & 255) |
          ((probe.charCodeAt(1) & 255) << 8) |
          ((probe.charCodeAt(2) & 255) << 16)
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
      this.#beginnings.add(added)
    }
    this.#unindexed = []
  }

  #scanWindow(
    kernel: ProbeKernel,
    length: number,
    base: number,
    found: Place<T>[],
    encodings: 0 | 1 = 0,
  ): void {
    const count = kernel.scan(length, encodings)
    // Offsets in both windows were already found in the previous one.
    const seen = base === 0 ? 0 : WINDOW_OVERLAP - OVERLAP
    for (let index = 0; index < count; index += 1) {
      const at = kernel.found[index] ?? 0
      if (at >= seen && at + PROBE <= length) this.#note(kernel.text.readInt32LE(at), base + at, found)
    }
    if (this.#wide !== null && !this.#wide.index.isEmpty) this.#scanWide(kernel, length, base, found)
  }

  #scanWide(kernel: ProbeKernel, length: number, base: number, found: Place<T>[]): void {
    if (this.#wide === null) return
    const { index, owner } = this.#wide
    const count = kernel.sample(length, index.shift)
    for (let place = 0; place < count; place += 1) {
      const at = kernel.found[place] ?? 0
      if (at + WINDOW <= length && index.hasWindow(kernel.text.readInt32LE(at), kernel.text[at + 4] ?? 0))
        found.push({ at: base + at, owner })
    }
  }

  #scanText(text: string): readonly Place<T>[] {
    let found: Place<T>[] | null = this.#wideInText(text)
    let key = fourAt(text, 0)
    for (let at = 0; ; at += 1) {
      if (this.#flags[hash(key)] === 1) {
        found ??= []
        this.#note(key, at, found)
      }
      if (at + PROBE >= text.length) return found ?? NONE
      key = (key >>> 8) | ((text.charCodeAt(at + PROBE) & 255) << 24)
    }
  }

  #wideInText(text: string): Place<T>[] | null {
    if (this.#wide === null || this.#wide.index.isEmpty) return null
    const { index, owner } = this.#wide
    let found: Place<T>[] | null = null
    index.sampleText(text, (at) => {
      found ??= []
      found.push({ at, owner })
    })
    return found
  }

  #note(key: number, at: number, found: Place<T>[]): void {
    const owners = this.#owners.get(key)
    if (owners !== undefined) for (const owner of owners) found.push({ at, owner })
  }
}

export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
