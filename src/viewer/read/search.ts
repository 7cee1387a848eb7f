/**
 * Finds a literal text in a tape: the trigrams give the blocks of rows that can contain it, then the bytes of those
 * blocks are compared. ASCII letters match in either case. In a line the text is looked for as JSON writes it
 * and as it is, in a stored payload as it is.
 */
import { INDEX_FILES } from '../layout/metadata.ts'
import { BLOCK_ROWS, type RowEntry } from '../layout/rows.ts'
import { bitsOf, foldByte, sliceBytes } from '../layout/trigrams.ts'
import type { SearchHit } from '../protocol/rows.ts'
import { casFile, TAPE_FILE } from './access.ts'
import { recordOf } from './lines.ts'
import type { TapeIndexReader } from './tape-index.ts'
import { isWireObject } from './wire.ts'

/** A search stops here, and its result is marked. */
const MAX_MATCHES = 10_000
const MAX_PAYLOAD_BYTES = 1024 * 1024
const CONTEXT_CHARS = 60

export type Found = { readonly rows: readonly number[]; readonly capped: boolean }

export async function searchRows(index: TapeIndexReader, text: string): Promise<Found> {
  const needles = needlesOf(text)
  if (needles === null) return { rows: [], capped: false }
  const found: number[] = []
  for (const block of await candidateBlocks(index, needles)) {
    for (const row of await matchesIn(index, block, needles)) {
      if (found.length === MAX_MATCHES) return { rows: found, capped: true }
      found.push(row)
    }
  }
  return { rows: found, capped: false }
}

type Needles = { readonly line: Uint8Array; readonly plain: Uint8Array }

function needlesOf(text: string): Needles | null {
  if (text === '') return null
  const encoder = new TextEncoder()
  const fold = (part: string): Uint8Array => encoder.encode(part).map(foldByte)
  return { line: fold(JSON.stringify(text).slice(1, -1)), plain: fold(text) }
}

/** Blocks that have all trigrams of either form; all of them for a text of less than three bytes. */
async function candidateBlocks(index: TapeIndexReader, { line, plain }: Needles): Promise<number[]> {
  const forms = [line, ...(sameBytes(line, plain) ? [] : [plain])].map(bitsOf)
  const { blocks, segments } = index.metadata
  const found: number[] = []
  let next = 0
  for (const segment of segments) {
    const width = sliceBytes(segment)
    const sets = await Promise.all(forms.map((bits) => slices(index, segment.offset, width, bits)))
    for (let at = 0; at < segment.blocks; at += 1) {
      if (sets.some((set) => set.every((slice) => ((slice[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0)))
        found.push(segment.firstBlock + at)
    }
    next = segment.firstBlock + segment.blocks
  }
  for (let block = next; block < blocks; block += 1) found.push(block)
  return found
}

function slices(
  index: TapeIndexReader,
  offset: number,
  width: number,
  bits: readonly number[],
): Promise<Uint8Array[]> {
  return Promise.all(
    bits
      .slice(0, MAX_BITS)
      .map((bit) => index.files.read(INDEX_FILES.trigrams, offset + bit * width, offset + (bit + 1) * width)),
  )
}

/** More trigrams of a long text would rule out little. */
const MAX_BITS = 32

async function matchesIn(index: TapeIndexReader, block: number, needles: Needles): Promise<number[]> {
  const first = block * BLOCK_ROWS
  const table = await index.rows(first, first + BLOCK_ROWS)
  const end = Math.min(first + BLOCK_ROWS, table.end)
  const found: number[] = []
  for (const part of partsOf(first, end, (row) => table.at(row))) {
    const bytes = await index.files.read(TAPE_FILE, part.from, part.to)
    for (const row of part.rows) {
      const { offset, lengthBytes } = table.at(row)
      const line = bytes.subarray(offset - part.from, offset - part.from + lengthBytes)
      if (placeInLine(line, needles) !== null || (await inPayloads(index, line, needles.plain)))
        found.push(row)
    }
  }
  return found
}

const PART_BYTES = 4 * 1024 * 1024

type Part = { readonly from: number; readonly to: number; readonly rows: readonly number[] }

/** Neighbouring rows whose lines are read in one range. */
function partsOf(first: number, end: number, at: (row: number) => RowEntry): Part[] {
  const parts: { from: number; to: number; rows: number[] }[] = []
  for (let row = first; row < end; row += 1) {
    const { offset, lengthBytes } = at(row)
    const part = parts.at(-1)
    if (part !== undefined && offset + lengthBytes - part.from <= PART_BYTES && offset >= part.from) {
      part.rows.push(row)
      part.to = Math.max(part.to, offset + lengthBytes)
    } else parts.push({ from: offset, to: offset + lengthBytes, rows: [row] })
  }
  return parts
}

const STORED = new TextEncoder().encode('"len_bytes":')

async function inPayloads(index: TapeIndexReader, line: Uint8Array, needle: Uint8Array): Promise<boolean> {
  if (indexOfFolded(line, STORED, 0) < 0) return false
  const found = recordOf(new TextDecoder().decode(line))
  for (const hash of found === null ? [] : storedHashes(found.kind)) {
    const bytes = await storedText(index, hash)
    if (bytes !== null && indexOfFolded(bytes, needle, 0) >= 0) return true
  }
  return false
}

async function storedText(index: TapeIndexReader, hash: string): Promise<Uint8Array | null> {
  const size = await index.files.size(casFile(hash))
  return size === null ? null : await index.files.read(casFile(hash), 0, Math.min(size, MAX_PAYLOAD_BYTES))
}

function storedHashes(kind: { readonly [name: string]: unknown }): string[] {
  return Object.values(kind).flatMap((value) => {
    if (!isWireObject(value) || typeof value.len_bytes !== 'number' || typeof value.content_hash !== 'string')
      return []
    return /^[0-9a-f]{64}$/.test(value.content_hash) ? [value.content_hash] : []
  })
}

/** The first match of a row with the text around it. */
export async function hitIn(
  index: TapeIndexReader,
  entry: RowEntry,
  text: string,
): Promise<Omit<SearchHit, 'row'> | null> {
  const needles = needlesOf(text)
  if (needles === null) return null
  const line = await index.files.read(TAPE_FILE, entry.offset, entry.offset + entry.lengthBytes)
  const place = placeInLine(line, needles)
  if (place !== null) return { ...around(line, place.at, place.length), where: 'line' }
  const found = recordOf(new TextDecoder().decode(line))
  for (const hash of found === null ? [] : storedHashes(found.kind)) {
    const bytes = await storedText(index, hash)
    const at = bytes === null ? -1 : indexOfFolded(bytes, needles.plain, 0)
    if (bytes !== null && at >= 0) return { ...around(bytes, at, needles.plain.length), where: 'payload' }
  }
  return null
}

function around(
  bytes: Uint8Array,
  at: number,
  length: number,
): { before: string; match: string; after: string } {
  const decoder = new TextDecoder()
  const text = (from: number, to: number): string => decoder.decode(bytes.subarray(Math.max(0, from), to))
  return {
    before: text(at - CONTEXT_CHARS, at).replace(/^�+/, ''),
    match: text(at, at + length),
    after: text(at + length, at + length + CONTEXT_CHARS).replace(/�+$/, ''),
  }
}

/** As a JSON string holds it, or as it is: `"seq":12` is looked for in the line itself. */
function placeInLine(
  line: Uint8Array,
  { line: escaped, plain }: Needles,
): { readonly at: number; readonly length: number } | null {
  const at = indexOfFolded(line, escaped, 0)
  if (at >= 0) return { at, length: escaped.length }
  const asItIs = sameBytes(escaped, plain) ? -1 : indexOfFolded(line, plain, 0)
  return asItIs < 0 ? null : { at: asItIs, length: plain.length }
}

function indexOfFolded(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  const [first] = needle
  if (first === undefined) return -1
  const upper = first >= 97 && first <= 122 ? first - 32 : first
  for (let at = from; at <= bytes.length - needle.length; at += 1) {
    const byte = bytes[at]
    if (byte !== first && byte !== upper) continue
    let length = 1
    while (length < needle.length && foldByte(bytes[at + length] ?? 0) === needle[length]) length += 1
    if (length === needle.length) return at
  }
  return -1
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
