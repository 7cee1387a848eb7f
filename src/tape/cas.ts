/**
 * Payload bytes outside the line: `<tape>.cas/<blake3>`.
 *
 * A name is only ever 64 hex digits, and neither the folder nor an entry may be a link: nothing on a tape, or
 * next to it, can make us read or write anywhere else. Entries appear whole (temp, rename) or not at all.
 */
import { type ContentHash, contentHash, createBlake3, faultPoint, isContentHash } from '../base/index.ts'
import { fromSystemError, RepriseError, systemCode } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realPid } from '../real/process.ts'
import type { ScrubbedBytes } from '../scrub/index.ts'
import { createSpill, type Spill } from './payload-stream.ts'

export const casFaultPoints = ['cas.folder', 'cas.write', 'cas.sync', 'cas.rename'] as const

export function casFolder(tapePath: string): string {
  return `${tapePath}.cas`
}

export type CasWriter = {
  /** Puts the bytes in place under their hash; a second call with the same bytes writes nothing. */
  put(hash: ContentHash, bytes: ScrubbedBytes): void
  /** An entry that is written before its hash is known. */
  spill(): Spill
}

/** In the name of a file whose hash is not known yet. */
const UNKNOWN_HASH = '0'.repeat(64)

export function createCasWriter(tapePath: string, durability: 'os' | 'fsync'): CasWriter {
  const folder = casFolder(tapePath)
  let ready = false
  let counter = 0
  const makeReady = (): void => {
    if (ready) return
    faultPoint('cas.folder')
    makeFolder(folder)
    ready = true
  }
  const tempFor = (hash: string): string => {
    counter += 1
    return `${folder}/.${hash}.${realPid}.${counter}.tmp`
  }
  return {
    spill() {
      makeReady()
      return createSpill(tempFor(UNKNOWN_HASH), (hash) => entryPath(folder, hash), durability)
    },
    put(hash, bytes) {
      const entry = entryPath(folder, hash)
      makeReady()
      if (holds(entry, bytes.byteLength)) return
      const temp = tempFor(hash)
      try {
        writeWhole(temp, bytes, durability)
        faultPoint('cas.rename')
        fs.renameSync(temp, entry)
      } catch (error) {
        fs.rmSync(temp, { force: true })
        throw error
      }
    },
  }
}

/** The bytes of an entry, checked against the name and the length that the record gives. */
export function readCasEntry(tapePath: string, hash: string, lenBytes: number | null): Uint8Array {
  const folder = casFolder(tapePath)
  const entry = entryPath(folder, hash)
  const descriptor = openEntry(folder, entry, hash)
  try {
    const size = fs.fstatSync(descriptor).size
    if (lenBytes !== null && size !== lenBytes)
      throw mismatch(entry, hash, `it has ${size} bytes, the record has ${lenBytes}`)
    const bytes = Buffer.allocUnsafeSlow(size)
    let filled = 0
    while (filled < size) {
      const read = fs.readSync(descriptor, bytes, filled, size - filled, filled)
      if (read === 0) throw mismatch(entry, hash, 'it became shorter while it was read')
      filled += read
    }
    if (contentHash(bytes) !== hash) throw mismatch(entry, hash, 'its bytes have another hash')
    return bytes
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Throws what `readCasEntry` throws. Memory does not grow with the entry. */
export function checkCasEntry(tapePath: string, hash: string, lenBytes: number): void {
  for (const _ of casPieces(tapePath, { contentHash: hash, lenBytes }));
}

/** The bytes of an entry, piece by piece; throws what `readCasEntry` throws, at the end at the latest. */
export function* casPieces(
  tapePath: string,
  { contentHash: hash, lenBytes }: { readonly contentHash: string; readonly lenBytes: number },
): Generator<Uint8Array> {
  const folder = casFolder(tapePath)
  const entry = entryPath(folder, hash)
  const descriptor = openEntry(folder, entry, hash)
  try {
    const { size } = fs.fstatSync(descriptor)
    if (size !== lenBytes) throw mismatch(entry, hash, `it has ${size} bytes, the record has ${lenBytes}`)
    const digest = createBlake3()
    for (let checked = 0; checked < size; ) {
      // A new one each time: it is the reader's.
      const piece = Buffer.allocUnsafeSlow(Math.min(size - checked, PIECE_BYTES))
      const read = fs.readSync(descriptor, piece, 0, piece.byteLength, checked)
      if (read === 0) throw mismatch(entry, hash, 'it became shorter while it was read')
      digest.update(piece.subarray(0, read))
      checked += read
      yield piece.subarray(0, read)
    }
    if (digest.digest() !== hash) throw mismatch(entry, hash, 'its bytes have another hash')
  } finally {
    fs.closeSync(descriptor)
  }
}

const PIECE_BYTES = 1024 * 1024

/** True if the entry is there as a plain file. Does not check its bytes. */
export function hasCasEntry(tapePath: string, hash: string): boolean {
  if (!isContentHash(hash) || !isPlainFolder(casFolder(tapePath))) return false
  const stat = fs.lstatSync(`${casFolder(tapePath)}/${hash}`, { throwIfNoEntry: false })
  return stat?.isFile() === true
}

/** How many entries there are and how large, counted one by one without holding a list. */
export function casUsage(tapePath: string): { entries: number; bytes: number } {
  const folder = casFolder(tapePath)
  const usage = { entries: 0, bytes: 0 }
  if (!isPlainFolder(folder)) return usage
  const listing = fs.opendirSync(folder)
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (!isContentHash(entry.name) || !entry.isFile()) continue
      usage.entries += 1
      usage.bytes += fs.lstatSync(`${folder}/${entry.name}`).size
    }
  } finally {
    listing.closeSync()
  }
  return usage
}

/**
 * Removes a CAS folder that a new tape replaces: its entries and leftovers, and the folder if nothing else
 * lies in it.
 */
export function removeCas(tapePath: string): void {
  const folder = casFolder(tapePath)
  if (!isPlainFolder(folder)) return
  for (const name of fs.readdirSync(folder))
    if (isContentHash(name) || /^\.[0-9a-f]{64}\.\d+\.\d+\.tmp$/.test(name))
      fs.unlinkSync(`${folder}/${name}`)
  if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
}

function entryPath(folder: string, hash: string): string {
  if (isContentHash(hash)) return `${folder}/${hash}`
  throw new RepriseError('cas-name', `a payload is named ${JSON.stringify(hash)}, which is no BLAKE3 hash`, {
    details: { name: hash },
    hint: 'the tape is damaged or hostile',
  })
}

function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!isPlainFolder(folder)) throw fromSystemError(error, 'create', folder)
  }
}

function isPlainFolder(folder: string): boolean {
  return fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
}

function holds(entry: string, size: number): boolean {
  const stat = fs.lstatSync(entry, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size === size
}

function writeWhole(path: string, bytes: Uint8Array, durability: 'os' | 'fsync'): void {
  const descriptor = fs.openSync(path, 'wx', 0o600)
  try {
    faultPoint('cas.write')
    for (let written = 0; written < bytes.byteLength; ) written += fs.writeSync(descriptor, bytes, written)
    if (durability === 'fsync') {
      faultPoint('cas.sync')
      fs.fsyncSync(descriptor)
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

function openEntry(folder: string, entry: string, hash: string): number {
  if (isPlainFolder(folder)) {
    try {
      const descriptor = fs.openSync(
        entry,
        fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
      )
      if (fs.fstatSync(descriptor).isFile()) return descriptor
      fs.closeSync(descriptor)
    } catch (error) {
      const code = systemCode(error)
      if (code !== 'ENOENT' && code !== 'ELOOP') throw fromSystemError(error, 'read', entry)
    }
  }
  throw new RepriseError('cas-missing', `tape CAS missing entry for ${hash}`, {
    details: { hash, folder },
    hint: `restore ${folder}`,
  })
}

function mismatch(entry: string, hash: string, why: string): RepriseError {
  return new RepriseError('cas-mismatch', `${entry} is not the payload it is named for: ${why}`, {
    details: { hash },
    hint: 'restore it from a backup',
  })
}
