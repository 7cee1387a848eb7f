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
import { isCodeBlock } from './code-alphabet.ts'
import { addCodes, hasWindow, isIn, isWindowAt } from './kernel-places.ts'
import type { KnownIndex } from './known-index.ts'
import { PROBE, ProbeIndex } from './probe-index.ts'
import {
  BLOCK,
  createProbeKernel,
  flag,
  hash,
  KERNEL_WINDOW,
  PERCENT_MARK,
  type ProbeKernel,
  writeBytes,
  writeText,
  ZERO_MARK,
} from './probe-kernel.ts'
import type { RecentBytes } from './recent-bytes.ts'
import { isClean, NOTHING, type Place, type Scanned } from './scanned.ts'
import { hasWide, isWide } from './utf16-view.ts'
import { fourAt } from './window-hash.ts'

const OVERLAP = PROBE - 1
/** A multiple of four, and enough for the eight characters that the index of known values needs. */
const WINDOW_OVERLAP = 8
/** The distance between the offsets at which the windows of the kernel begin. */
const STEP = KERNEL_WINDOW - WINDOW_OVERLAP
/** Below this length the call into the kernel costs more than it saves. */
export const SHORT = 64
/** Enough of a text to detect what began before it: base64 of text, a window of a known value, a probe. */
export const SEAM = 16
const MOST_BEFORE = 2 * SEAM
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
  readonly #probes = new ProbeIndex<T>((key) => {
    if (this.#kernel !== undefined && this.#kernel !== null) flag(this.#kernel, key)
  })

  #findsCodes = false

  #wide: { readonly index: KnownIndex; readonly owner: T } | null = null

  constructor(makeKernel: () => ProbeKernel | null = createProbeKernel) {
    this.#makeKernel = makeKernel
  }

  /** Takes the probes of a rule; they are read when the first text is scanned. */
  add(probes: () => readonly string[], owner: T, atWordStart = false): void {
    this.#probes.add({ probes, owner, atWordStart })
  }

  /** Hints have no places: `hasHint` and `isCleanAfter` look for them. */
  addHint(probes: () => readonly string[]): void {
    this.#probes.addHint(probes)
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
    this.#probes.indexNew()
    return this.#probes.beginnings.longestAtEnd(text, isWordStart)
  }

  /** Whether such a control character is in what a text must not end with: see chunk-ends.ts. */
  get hasControls(): boolean {
    this.#probes.indexNew()
    return this.#probes.beginnings.hasControls
  }

  /** The offsets, in order. */
  inText(text: string): readonly Place<T>[] {
    if (text.length < PROBE) return NONE
    this.#probes.indexNew()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#scanText(text)
    const found: Place<T>[] = []
    for (let window = 0; window < text.length - OVERLAP; window += STEP)
      this.#scanWindow(kernel, writeText(kernel, text, window), window, found)
    return found
  }

  hasHint(text: string): boolean {
    if (text.length < PROBE) return false
    this.#probes.indexNew()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#hasHintShort(text)
    for (let window = 0; window < text.length - OVERLAP; window += STEP) {
      const length = writeText(kernel, text, window)
      if (isIn(this.#probes.hints, kernel, kernel.scan(length, 0), length)) return true
    }
    return false
  }

  #hasHintShort(text: string): boolean {
    for (let at = 0; at + PROBE <= text.length; at += 1)
      if (this.#probes.hints.has(fourAt(text, at))) return true
    return false
  }

  /** The offsets, and where the text may be encoded. */
  scanText(text: string): Scanned<T> {
    if (text.length < PROBE) return NOTHING
    this.#probes.indexNew()
    const kernel = text.length <= SHORT ? null : this.#kernelForLong()
    if (kernel === null) return this.#scanShort(text)
    const scanned = { places: [], base64: [], codes: [], hasPercent: false, mayBeWide: false }
    for (let window = 0; window < text.length - OVERLAP; window += STEP)
      this.#scanAll(kernel, writeText(kernel, text, window), window, scanned)
    return scanned
  }

  scanBytes(bytes: Uint8Array): Scanned<T> {
    if (bytes.byteLength < PROBE) return NOTHING
    this.#probes.indexNew()
    const kernel = this.#kernelForLong()
    if (kernel === null) return this.#scanShort(latin1Of(bytes))
    const scanned = { places: [], base64: [], codes: [], hasPercent: false, mayBeWide: false }
    for (let window = 0; window < bytes.byteLength - OVERLAP; window += STEP)
      this.#scanAll(kernel, writeBytes(kernel, bytes, window), window, scanned)
    return scanned
  }

  /**
   * Whether there is nothing in these bytes, nor where they meet what comes before them: the last bytes of a stream,
   * then a short text. Of those only the end is read. `withHints`: no hint either.
   */
  isCleanAfter(before: RecentBytes | null, held: string, bytes: Uint8Array, withHints = false): boolean {
    if (before === null && held === '' && bytes.byteLength < PROBE) return true
    this.#probes.indexNew()
    const kernel = bytes.byteLength < KERNEL_WINDOW - MOST_BEFORE ? this.#kernelForLong() : null
    if (kernel === null) return this.#isCleanLong(before, held, bytes, withHints)
    const { text } = kernel
    let length = before === null ? 0 : before.writeEnd(text, SEAM)
    for (let at = Math.max(0, held.length - SEAM); at < held.length; at += 1) {
      text[length] = held.charCodeAt(at)
      length += 1
    }
    text.set(bytes, length)
    return this.#isCleanWindow(kernel, length + bytes.byteLength, withHints)
  }

  #isCleanLong(before: RecentBytes | null, held: string, bytes: Uint8Array, withHints: boolean): boolean {
    const seam = ((before?.text ?? '') + held).slice(-SEAM) + latin1Of(bytes.subarray(0, SEAM))
    return (
      isClean(this.scanText(seam)) &&
      isClean(this.scanBytes(bytes)) &&
      !(withHints && (this.hasHint(seam) || this.hasHint(latin1Of(bytes))))
    )
  }

  /** Of the text in the kernel. */
  #isCleanWindow(kernel: ProbeKernel, length: number, withHints: boolean): boolean {
    const { text } = kernel
    const count = kernel.scan(length, 1)
    const result = kernel.found_blocks()
    if ((result & PERCENT_MARK) !== 0 || ((result & ZERO_MARK) !== 0 && hasWide(text, length))) return false
    if (count > 0 && isIn(this.#probes.owners, kernel, count, length)) return false
    if (count > 0 && withHints && isIn(this.#probes.hints, kernel, count, length)) return false
    for (let index = 0; index < result >> 2; index += 1) {
      const at = kernel.blocks[index] ?? 0
      if (at + BLOCK <= length && mayBeStretch(text, at, length)) return false
    }
    if (this.#wide !== null && hasWindow(kernel, length, this.#wide.index)) return false
    if (!this.#findsCodes) return true
    const codes: number[] = []
    addCodes(kernel, length, 0, codes)
    return codes.length === 0
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
    if (this.#findsCodes) addCodes(kernel, length, base, scanned.codes)
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
        for (const key of this.#probes.keys()) flag(this.#kernel, key)
        this.#wide?.index.mirrorTo(this.#kernel.windowBits)
      }
    }
    return this.#kernel
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
      if (isWindowAt(kernel, at, length, index)) found.push({ at: base + at, owner })
    }
  }

  #scanText(text: string): readonly Place<T>[] {
    let found: Place<T>[] | null = this.#wideInText(text)
    let key = fourAt(text, 0)
    for (let at = 0; ; at += 1) {
      if (this.#probes.flags[hash(key)] === 1) {
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
    const owners = this.#probes.owners.get(key)
    if (owners !== undefined) for (const owner of owners) found.push({ at, owner })
  }
}

export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
