/**
 * Header blocks of HTTP/2. Reads any block, with the table that both ends of a connection keep. Writes blocks
 * that need no table: every header as literal text.
 */
import type { HeaderList } from '../../base/index.ts'
import { huffmanText, staticTable, type TableEntry } from './hpack-table.ts'

export type HeaderBlock = { readonly headers: HeaderList; readonly sensitive: readonly string[] }

const ENTRY_OVERHEAD = 32
/** The largest table that a peer may request; a larger one is an attack. */
const LARGEST_TABLE = 1 << 24

export class HpackReader {
  #entries: TableEntry[] = []
  #size = 0
  #limit = 4096

  /** Null if the block is malformed: the connection cannot be read from there on. */
  read(block: Uint8Array): HeaderBlock | null {
    const input: Input = { bytes: block, at: 0 }
    const headers: TableEntry[] = []
    const sensitive: string[] = []
    while (input.at < block.length) {
      const first = block[input.at] ?? 0
      if (first & 0x80) {
        const entry = this.#entry(readInteger(input, 7))
        if (entry === null) return null
        headers.push(entry)
      } else if ((first & 0xe0) === 0x20) {
        const limit = readInteger(input, 5)
        if (limit < 0 || limit > LARGEST_TABLE) return null
        this.#limit = limit
        this.#evict()
      } else {
        const isIndexed = (first & 0xc0) === 0x40
        const entry = this.#literal(input, isIndexed ? 6 : 4)
        if (entry === null) return null
        headers.push(entry)
        if (isIndexed) this.#add(entry)
        else if (first & 0x10) sensitive.push(entry[0])
      }
    }
    return { headers, sensitive }
  }

  #literal(input: Input, prefix: number): TableEntry | null {
    const index = readInteger(input, prefix)
    const name = index === 0 ? readText(input) : (this.#entry(index)?.[0] ?? null)
    const value = name === null ? null : readText(input)
    return name === null || value === null ? null : [name, value]
  }

  #entry(index: number): TableEntry | null {
    if (index <= 0) return null
    return staticTable[index - 1] ?? this.#entries[index - 1 - staticTable.length] ?? null
  }

  #add(entry: TableEntry): void {
    this.#entries.unshift(entry)
    this.#size += sizeOf(entry)
    this.#evict()
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const last = this.#entries.pop()
      if (last === undefined) break
      this.#size -= sizeOf(last)
    }
  }
}

/** No table. A reader whose own settings made its table smaller refuses a block that does not begin with a size. */
const NO_TABLE = Buffer.of(0x20)

/** Names and values are sent unchanged; a sensitive one is marked for every hop. */
export function headerBlock({ headers, sensitive }: HeaderBlock): Buffer {
  const hidden = new Set(sensitive)
  const parts = headers.flatMap(([name, value]) => [
    Buffer.of(hidden.has(name) ? 0x10 : 0x00),
    literal(name),
    literal(value),
  ])
  return Buffer.concat([NO_TABLE, ...parts])
}

type Input = { readonly bytes: Uint8Array; at: number }

/** -1 if it is cut off, or too large. */
function readInteger(input: Input, prefix: number): number {
  const mask = 2 ** prefix - 1
  const first = (input.bytes[input.at] ?? 0) & mask
  input.at += 1
  if (first < mask) return first
  let value = first
  for (let shift = 0; shift <= 28; shift += 7) {
    const byte = input.bytes[input.at]
    if (byte === undefined) return -1
    input.at += 1
    value += (byte & 0x7f) * 2 ** shift
    if ((byte & 0x80) === 0) return value
  }
  return -1
}

function readText(input: Input): string | null {
  const isHuffman = ((input.bytes[input.at] ?? 0) & 0x80) !== 0
  const length = readInteger(input, 7)
  if (length < 0 || input.at + length > input.bytes.length) return null
  const bytes = input.bytes.subarray(input.at, input.at + length)
  input.at += length
  return isHuffman ? huffmanText(bytes) : Buffer.from(bytes).toString('latin1')
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([lengthBytes(bytes.length), bytes])
}

function lengthBytes(length: number): Buffer {
  if (length < 127) return Buffer.of(length)
  const bytes = [127]
  for (let rest = length - 127; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 0x80)
  }
}

function sizeOf([name, value]: TableEntry): number {
  return name.length + value.length + ENTRY_OVERHEAD
}
