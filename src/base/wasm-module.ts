/** The pieces of a WebAssembly module that is written byte by byte: sections, names, and numbers in LEB128. Pure. */
export function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content]
}

export function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)]
}

export function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)]
}

export function signedLeb(value: number): number[] {
  const low = value & 0x7f
  const rest = value >> 7
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
  return isLast ? [low] : [low | 0x80, ...signedLeb(rest)]
}
