/**
 * The inner loop of the probe scan in WebAssembly: about three times as fast as the same loop in JavaScript, which has to check the bounds of each
 * access. Written out as the bytes of the module, since it is forty instructions; where there is no WebAssembly the caller has its own loop.
 *
 *     count = 0
 *     for p in 0, 4, 8 … below length:
 *       if flags[hash(text[p..])] | flags[hash(text[p+1..])] | … of four places: for each of them that has both its flags: found[count++] = place
 */
import { leb, name, section, signedLeb } from '../base/wasm-module.ts'

export const FLAG_BITS = 15
export const HASH_FACTOR = 0x9e3779b1
/** A second hash, asked only where the first has its flag: together they are wrong about once in a thousand places. */
export const SECOND_FACTOR = 0x85ebca6b
/** Of text, in one call. */
export const KERNEL_WINDOW = 1 << 16

const SECOND_AT = 1 << FLAG_BITS
const TEXT_AT = 2 << FLAG_BITS
/** Room behind the text, so that the last places may be read past its end. */
const FOUND_AT = TEXT_AT + KERNEL_WINDOW + 64
const PAGES = Math.ceil((FOUND_AT + 4 * (KERNEL_WINDOW + 8)) / 65536)

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

/** The part of the WebAssembly API that is used; the compiler's own library has it only together with the browser's. */
type WasmApi = {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; scan(length: number): number } }
}

let module: object | undefined

export function createProbeKernel(): ProbeKernel | null {
  const wasm = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly
  if (wasm === undefined) return null
  module ??= new wasm.Module(moduleBytes())
  const { memory, scan } = new wasm.Instance(module).exports
  return {
    flags: new Uint8Array(memory.buffer, 0, 1 << FLAG_BITS),
    secondFlags: new Uint8Array(memory.buffer, SECOND_AT, 1 << FLAG_BITS),
    text: Buffer.from(memory.buffer, TEXT_AT, KERNEL_WINDOW),
    found: new Uint32Array(memory.buffer, FOUND_AT, KERNEL_WINDOW + 8),
    scan,
  }
}

function moduleBytes(): Uint8Array {
  const I32 = 0x7f
  const body = code()
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 1, I32, 1, I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, ...leb(PAGES)]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('scan'), 0x00, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

/** Locals: 0 length, 1 place, 2 where the next found place goes. */
function code(): number[] {
  const I32 = 0x7f
  const [LENGTH, PLACE, NEXT] = [0, 1, 2]
  const get = (local: number): number[] => [0x20, local]
  const set = (local: number): number[] => [0x21, local]
  const constant = (value: number): number[] => [0x41, ...signedLeb(value)]
  const add = 0x6a
  /** flags[(text32[place + offset] * factor) >>> (32 - bits)] */
  const flag = (offset: number, factor = HASH_FACTOR, table = 0): number[] => [
    ...get(PLACE),
    ...[0x28, 0, ...leb(TEXT_AT + offset)],
    ...constant(factor | 0),
    0x6c,
    ...constant(32 - FLAG_BITS),
    0x76,
    ...[0x2d, 0, ...leb(table)],
  ]
  const note = (offset: number): number[] => [
    ...flag(offset),
    ...flag(offset, SECOND_FACTOR, SECOND_AT),
    0x71,
    ...[0x04, 0x40],
    ...get(NEXT),
    ...get(PLACE),
    ...constant(offset),
    add,
    ...[0x36, 2, 0],
    ...get(NEXT),
    ...constant(4),
    add,
    ...set(NEXT),
    0x0b,
  ]
  const or = 0x72
  return [
    ...[1, 2, I32],
    ...constant(FOUND_AT),
    ...set(NEXT),
    ...[0x03, 0x40],
    ...get(PLACE),
    ...get(LENGTH),
    0x48,
    ...[0x04, 0x40],
    ...flag(0),
    ...flag(1),
    or,
    ...flag(2),
    or,
    ...flag(3),
    or,
    ...[0x04, 0x40],
    ...note(0),
    ...note(1),
    ...note(2),
    ...note(3),
    0x0b,
    ...get(PLACE),
    ...constant(4),
    add,
    ...set(PLACE),
    ...[0x0c, 1],
    0x0b,
    0x0b,
    ...get(NEXT),
    ...constant(FOUND_AT),
    0x6b,
    ...constant(2),
    0x76,
    0x0b,
  ]
}
