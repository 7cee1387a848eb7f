/**
 * Plain lines, sixteen bytes at a time in WebAssembly, since a program that prints fast is asked about every byte. Gives the column after them, or -1
 * where a closer look is needed: another byte than printable ASCII, tab and line ends, a carriage return in the middle of a line, a line that fills
 * its rows. Written out as the bytes of the module; null where the engine has no vectors, and the caller has a loop of its own.
 *
 *     for place in 0, 16, 32 … below length:
 *       if any of text[place..+16] is not plain: return -1
 *       for each line end `at` among them:
 *         a carriage return: if text[at + 1] is no line feed, return -1
 *         a line feed: column = what stands before it in its line; if that fills whole rows, return -1; the next line begins at + 1
 *     return what stands in the last line
 */
const WINDOW = 1 << 16
/** Before the text: the byte before its first one is looked at. */
const TEXT_AT = 16

/** The part of the WebAssembly API that is used; the compiler's own library has it only together with the browser's. */
type WasmApi = {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; lines: Lines } }
}
type Lines = (length: number, column: number, cols: number) => number

/** The column after these bytes, which begin in `column`; null where a closer look is needed. */
export type LineKernel = (bytes: Uint8Array, column: number, cols: number) => number | null

export function createLineKernel(): LineKernel | null {
  const wasm = (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly
  if (wasm === undefined) return null
  try {
    const { memory, lines } = new wasm.Instance(new wasm.Module(moduleBytes())).exports
    const text = new Uint8Array(memory.buffer, TEXT_AT)
    return (bytes, column, cols) => {
      const { byteLength } = bytes
      if (byteLength > WINDOW) return null
      text.set(bytes)
      text.fill(0x20, byteLength, byteLength + 16)
      const after = lines(byteLength, column, cols)
      return after < 0 ? null : after
    }
  } catch {
    // An engine without vectors refuses the module.
    return null
  }
}

const I32 = 0x7f
const VECTOR = 0x7b
/** Locals: the three arguments, five numbers, a vector. */
const [LENGTH, COLUMN, COLS, PLACE, LINE, ENDS, AT, HERE, SIXTEEN] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const op = { if: [0x04, 0x40], loop: [0x03, 0x40], end: [0x0b], return: [0x0f], select: [0x1b], eqz: [0x45], add: [0x6a], sub: [0x6b], and: [0x71] }

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const number = (value: number): number[] => [0x41, ...(value >= -0x40 && value < 0x40 ? [value & 0x7f] : [value | 0x80, 0])]
const branch = (depth: number): number[] => [0x0c, depth]
const byteAt = (offset: number): number[] => [...get(AT), 0x2d, 0, TEXT_AT + offset]
const each = (byte: number): number[] => [...number(byte), 0xfd, 0x0f]
const are = (byte: number): number[] => [...get(SIXTEEN), ...each(byte), 0xfd, 0x23]
const EITHER = [0xfd, 0x50]
/** The column in which a line begins: only the first one has something before it. */
const lineColumn = [...get(COLUMN), ...number(0), ...get(LINE), ...op.eqz, ...op.select]
const refuse = [...op.if, ...number(-1), ...op.return, ...op.end]

function moduleBytes(): Uint8Array {
  const isEnd = [...are(0x0a), ...are(0x0d), ...EITHER]
  const isLowOther = [...get(SIXTEEN), ...each(0x20), 0xfd, 0x26, ...isEnd, ...are(0x09), ...EITHER, 0xfd, 0x4f]
  const isHigh = [...get(SIXTEEN), ...each(0x7e), 0xfd, 0x28]
  const column = [...get(AT), ...get(LINE), ...op.sub, ...byteAt(-1), ...number(0x0d), 0x46, ...op.sub, ...lineColumn, ...op.add]
  const lineFeed = [
    ...[...column, ...set(HERE)],
    ...[...get(HERE), ...number(0), 0x4a, ...get(HERE), ...get(COLS), 0x70, ...op.eqz, ...op.and, ...refuse],
    ...[...get(AT), ...number(1), ...op.add, ...set(LINE)],
  ]
  const ends = [
    ...[...op.loop, ...get(ENDS), ...op.if],
    ...[...get(PLACE), ...get(ENDS), 0x68, ...op.add, ...set(AT)],
    ...[...get(ENDS), ...get(ENDS), ...number(1), ...op.sub, ...op.and, ...set(ENDS)],
    ...[...byteAt(0), ...number(0x0d), 0x46, ...op.if],
    ...[...byteAt(1), ...number(0x0a), 0x47, ...refuse],
    ...[0x05, ...lineFeed, ...op.end],
    ...[...branch(1), ...op.end, ...op.end],
  ]
  const body = [
    ...[2, 5, I32, 1, VECTOR],
    ...op.loop,
    ...[...get(PLACE), ...get(LENGTH), 0x4e, ...op.if, ...get(LENGTH), ...get(LINE), ...op.sub, ...lineColumn, ...op.add, ...op.return, ...op.end],
    ...[...get(PLACE), 0xfd, 0x00, 0, TEXT_AT, ...set(SIXTEEN)],
    ...[...isLowOther, ...isHigh, ...EITHER, 0xfd, 0x53, ...refuse],
    ...[...isEnd, 0xfd, 0x64, ...set(ENDS), ...ends],
    ...[...get(PLACE), ...number(16), ...op.add, ...set(PLACE), ...branch(0)],
    ...[...op.end, ...number(-1), ...op.end],
  ]
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 3, I32, I32, I32, 1, I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, 2]),
    ...section(7, [2, ...name('memory'), 0x02, 0, ...name('lines'), 0x00, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content]
}

function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}
