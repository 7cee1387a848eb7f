/**
 * The inner loop of the probe scan in WebAssembly, probe-scan.wat: about three times as fast as the same loop in
 * JavaScript, which has to check the bounds of each access. The caller has its own loop for a Node without WebAssembly.
 */
import { instantiate, type WasmMemory } from '../base/web-assembly.ts'
import { WASM_BASE64 } from './probe-scan.wat.ts'

export const FLAG_BITS = 15
export const HASH_FACTOR = 0x9e3779b1
/** A second hash, asked only where the first has its flag: together they are wrong about once in a thousand places. */
export const SECOND_FACTOR = 0x85ebca6b
/** Of text, in one call. */
export const KERNEL_WINDOW = 1 << 16

/** Addresses in probe-scan.wat. */
const SECOND_AT = 1 << FLAG_BITS
const TEXT_AT = 2 << FLAG_BITS
/** Room behind the text, so that the last places may be read past its end. */
const FOUND_AT = TEXT_AT + KERNEL_WINDOW + 64

export type ProbeKernel = {
  /** One byte per hash: not 0 where a probe has this hash. */
  readonly flags: Uint8Array
  readonly secondFlags: Uint8Array
  /** Write up to `KERNEL_WINDOW` bytes here, then call `scan`. */
  readonly text: Buffer
  /** Places whose four bytes have a flagged hash, in order; the last ones may lie beyond `length - 4`. Returns how many there are in `found`. */
  scan(length: number): number
  readonly found: Uint32Array
}

type Exports = { readonly memory: WasmMemory; scan(length: number): number }

export function createProbeKernel(): ProbeKernel | null {
  const exports = instantiate<Exports>(WASM_BASE64)
  if (exports === null) return null
  const { memory, scan } = exports
  return {
    flags: new Uint8Array(memory.buffer, 0, 1 << FLAG_BITS),
    secondFlags: new Uint8Array(memory.buffer, SECOND_AT, 1 << FLAG_BITS),
    text: Buffer.from(memory.buffer, TEXT_AT, KERNEL_WINDOW),
    found: new Uint32Array(memory.buffer, FOUND_AT, KERNEL_WINDOW + 8),
    scan,
  }
}
