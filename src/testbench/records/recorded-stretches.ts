/**
 * The bytes of a stretch of an open file as they were read, from the records that contain them. Some may be
 * in later records, because they were held back.
 *
 * Each read returns as many bytes as when recorded, or the program would read once more or once less. If a
 * secret was replaced by a shorter text, blanks follow the placeholder.
 *
 * Decision 0102.
 */
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'

type Read = Kind<'fs_call'>
/** Reads whose bytes are mixed with each other's, and how many have been returned. */
type Group = {
  readonly bytes: Uint8Array
  /** The same without padding: what the records hold. */
  readonly taped: Uint8Array
  /** How much of it the records so far hold. */
  written: number
  readonly padding: Padding | null
  given: number
  left: number
  /** Later reads that returned something. The last of them returns all that is left. */
  giving: number
}

/** Blanks that are on no tape. */
type Padding = { readonly start: number; readonly length: number }
export type BytesRead = {
  readonly bytes: Uint8Array
  readonly padding: Padding | null
  /**
   * Bytes that the record holds and a later read gives: a placeholder that is longer than its secret was
   * written whole.
   */
  readonly ahead: Uint8Array
}

const NOTHING = new Uint8Array()

/** `ahead` returns the records that have not been delivered, in the order of the tape. */
export function recordedStretches(
  payloads: TapePayloads,
  ahead: () => Iterable<TapeRecord>,
): (kind: Read) => BytesRead {
  const groups = new Map<number, Group>()
  return (kind) => {
    if (kind.data === undefined) return { bytes: NOTHING, padding: null, ahead: NOTHING }
    const { stretch = 0 } = kind
    const size = sizeOf(kind)
    const known = groups.get(stretch)
    if (known === undefined && kind.held === undefined && lengthOf(kind, payloads) === size)
      return { bytes: payloads(kind.data), padding: null, ahead: NOTHING }
    const group = known ?? groupOf([kind, ...followers(kind, ahead())], payloads)
    group.left -= 1
    const end = endOf(group, size)
    const bytes = group.bytes.subarray(group.given, end)
    const padding = within(group, group.given, end)
    group.given = end
    group.written += lengthOf(kind, payloads)
    const early = group.taped.subarray(end - paddingBefore(group, end), group.written)
    if (group.left === 0) groups.delete(stretch)
    else groups.set(stretch, group)
    return { bytes, padding, ahead: early }
  }
}

/**
 * A read that returned nothing was at the end of the file: if it returned something now, one more read would
 * follow.
 */
function endOf(group: Group, size: number): number {
  if (size === 0) return group.given
  group.giving -= 1
  return group.giving === 0 ? group.bytes.byteLength : group.given + size
}

function groupOf(parts: readonly Read[], payloads: TapePayloads): Group {
  const bytes = Buffer.concat(parts.map(({ data }) => (data === undefined ? NOTHING : payloads(data))))
  const reads = parts.filter(({ result }) => result !== null)
  const missing = reads.reduce((sum, read) => sum + sizeOf(read), 0) - bytes.length
  return {
    ...(missing > 0 ? filled(bytes, missing) : { bytes, padding: null }),
    taped: bytes,
    written: 0,
    given: 0,
    left: reads.length,
    giving: reads.filter((read) => sizeOf(read) > 0).length,
  }
}

/** The parts of the same stretch up to the one after which nothing is held back. */
function followers(first: Read, records: Iterable<TapeRecord>): Read[] {
  const found: Read[] = []
  if (first.held === undefined) return found
  for (const { kind } of records) {
    if (kind.kind !== 'fs_call' || kind.stretch !== first.stretch || kind.data === undefined) continue
    found.push(kind)
    if (kind.held === undefined) break
  }
  return found
}

function filled(bytes: Buffer, missing: number): Pick<Group, 'bytes' | 'padding'> {
  const text = bytes.toString('latin1')
  const last = [...text.matchAll(/<redacted:[^<>]*>/g)].at(-1)
  const at = last === undefined ? text.length : last.index + last[0].length
  const padded = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(missing, ' '), bytes.subarray(at)])
  return { bytes: padded, padding: { start: at, length: missing } }
}

/** The part of the padding in this stretch, counted from its start. */
function within({ padding }: Group, start: number, end: number): Padding | null {
  if (padding === null) return null
  const from = Math.max(start, padding.start)
  const to = Math.min(end, padding.start + padding.length)
  return to > from ? { start: from - start, length: to - from } : null
}

function paddingBefore({ padding }: Group, end: number): number {
  return padding === null ? 0 : Math.max(0, Math.min(end - padding.start, padding.length))
}

/** How many bytes the program received. */
function sizeOf({ result }: Read): number {
  return typeof result === 'number' ? result : 0
}

function lengthOf({ data }: Read, payloads: TapePayloads): number {
  return data === undefined ? 0 : data.form === 'cas' ? data.lenBytes : payloads(data).byteLength
}
