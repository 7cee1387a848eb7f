/**
 * The inner loop of the probe scan in WebAssembly, probe-scan.wat: about three times as fast as the same loop
 * in JavaScript, which checks the bounds of each access. The caller has its own loop for a Node without
 * WebAssembly.
 */
import { instantiate, type WasmMemory } from '../base/web-assembly.ts'
import { WASM_BASE64 } from './probe-scan.wat.ts'

export const FLAG_BITS = 15
const HASH_FACTOR = 0x9e3779b1
/**
 * A second hash, checked only if the first has its flag. Together they are wrong about once in a thousand
 * offsets.
 */
const SECOND_FACTOR = 0x85ebca6b
/** Bytes of text in one call. */
export const KERNEL_WINDOW = 1 << 16

/** Addresses in probe-scan.wat. */
const SECOND_AT = 1 << FLAG_BITS
const TEXT_AT = 2 << FLAG_BITS
/** Space after the text, so that the last offsets may be read past its end. */
const FOUND_AT = TEXT_AT + KERNEL_WINDOW + 64
const BLOCKS_AT = 475_456
const WINDOWS_AT = 8 << 16

export type ProbeKernel = {
  /** One byte per hash: `FLAG` if a probe has this hash, else 0. */
  readonly flags: Uint8Array
  readonly secondFlags: Uint8Array
  /** Write up to `KERNEL_WINDOW` bytes here, then call `scan`. */
  readonly text: Buffer
  /**
   * Finds the offsets whose four bytes have a flagged hash, in order; the last ones may be beyond `length -
   * 4`. Returns how many there are in `found`. With `encodings` it also finds, in `blocks`, the offsets of
   * blocks of eight characters that may be base64 of ASCII text.
   */
  scan(length: number, encodings: 0 | 1): number
  /**
   * For the last scan: four times the number of blocks, plus `PERCENT_MARK` if the text has a `%`, plus
   * `ZERO_MARK` for a zero byte.
   */
  found_blocks(): number
  readonly blocks: Uint32Array
  /**
   * Finds the offsets, multiples of four, whose five bytes have all their bits in `windowBits`. Returns how
   * many there are in `found`.
   */
  sample(length: number, shift: number): number
  /**
   * Finds the offsets, multiples of eight, of blocks of eight characters that may be codes of characters: see
   * code-alphabet.ts. Returns how many there are in `found`.
   */
  codes(length: number): number
  readonly found: Uint32Array
  /** The bits of the windows of known values: see known-index.ts. */
  readonly windowBits: Uint32Array
}

/** The size of an entry in the lists of the kernel, which adds a flag to the end of a list. */
const FLAG = 4
export const PERCENT_MARK = 1
export const ZERO_MARK = 2
export const BLOCK = 8
/** At most 2^18 words of bits. */
export const MOST_WINDOW_WORDS_LOG = 18

type Exports = Pick<ProbeKernel, 'scan' | 'found_blocks' | 'sample' | 'codes'> & {
  readonly memory: WasmMemory
}

export function createProbeKernel(): ProbeKernel | null {
  const exports = instantiate<Exports>(WASM_BASE64)
  if (exports === null) return null
  const { memory, scan, found_blocks, sample, codes } = exports
  return {
    flags: new Uint8Array(memory.buffer, 0, 1 << FLAG_BITS),
    secondFlags: new Uint8Array(memory.buffer, SECOND_AT, 1 << FLAG_BITS),
    text: Buffer.from(memory.buffer, TEXT_AT, KERNEL_WINDOW),
    found: new Uint32Array(memory.buffer, FOUND_AT, KERNEL_WINDOW + 8),
    windowBits: new Uint32Array(memory.buffer, WINDOWS_AT, 1 << MOST_WINDOW_WORDS_LOG),
    blocks: new Uint32Array(memory.buffer, BLOCKS_AT, KERNEL_WINDOW / BLOCK + 2),
    scan,
    found_blocks,
    sample,
    codes,
  }
}

/** Both return the number of bytes in the window of the kernel that begins at `from`. */
export function writeText(kernel: ProbeKernel, text: string, from: number): number {
  const window = from === 0 && text.length <= KERNEL_WINDOW ? text : text.slice(from, from + KERNEL_WINDOW)
  return kernel.text.write(window, 0, 'latin1')
}

export function writeBytes(kernel: ProbeKernel, bytes: Uint8Array, from: number): number {
  const window =
    from === 0 && bytes.byteLength <= KERNEL_WINDOW ? bytes : bytes.subarray(from, from + KERNEL_WINDOW)
  kernel.text.set(window)
  return window.byteLength
}

/** Makes the kernel report offsets with these four bytes. */
export function flag(kernel: ProbeKernel, key: number): void {
  kernel.flags[hash(key)] = FLAG
  kernel.secondFlags[Math.imul(key, SECOND_FACTOR) >>> (32 - FLAG_BITS)] = FLAG
}

export function hash(key: number): number {
  return Math.imul(key, HASH_FACTOR) >>> (32 - FLAG_BITS)
}
