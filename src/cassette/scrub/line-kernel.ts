/**
 * Plain lines, sixteen bytes at a time in WebAssembly (plain-lines.wat): a program that prints fast makes
 * this the hottest loop. Null if this Node has no WebAssembly vectors; the caller has its own loop.
 */
import { instantiate, type WasmMemory } from '../../base/web-assembly.ts'
import { WASM_BASE64 } from './plain-lines.wat.ts'

const WINDOW = 1 << 16
/** The address in plain-lines.wat: the byte before the text is read too. */
const TEXT_AT = 16

type Exports = {
  readonly memory: WasmMemory
  lines(length: number, column: number, cols: number): number
}

/** The column after these bytes, which begin in `column`; null where a closer look is needed. */
export type LineKernel = (bytes: Uint8Array, column: number, cols: number) => number | null

export function createLineKernel(): LineKernel | null {
  const exports = instantiate<Exports>(WASM_BASE64)
  if (exports === null) return null
  const { memory, lines } = exports
  const text = new Uint8Array(memory.buffer, TEXT_AT)
  return (bytes, column, cols) => {
    const { byteLength } = bytes
    if (byteLength > WINDOW) return null
    text.set(bytes)
    text.fill(0x20, byteLength, byteLength + 16)
    const after = lines(byteLength, column, cols)
    return after < 0 ? null : after
  }
}
