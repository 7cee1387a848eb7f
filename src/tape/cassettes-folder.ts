/**
 * The cassettes that belong to a tape: `<tape>.cassettes/<name>`, the name being a number. Nothing else on a
 * tape is followed, and only plain files are copied. What is in a cassette is another layer's business; here
 * it is a folder whose manifest has a hash.
 */
import { join } from 'node:path'
import { type ContentHash, contentHash } from '../base/index.ts'
import { fromSystemError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { readPlainFile } from '../real/plain-file.ts'
import { isLink, refuseLink } from './refuse-links.ts'

const MANIFEST = 'manifest.json'
const OUTPUT = 'output.raw'

export function cassettesFolder(tape: string): string {
  return `${tape}.cassettes`
}

/**
 * Null for a name that no recording gives, and where a link is in the way: a tape is text from somewhere, and
 * must not lead out of its folder.
 */
export function cassettePath(tape: string, name: string): string | null {
  if (!/^\d{1,15}$/.test(name)) return null
  const folder = cassettesFolder(tape)
  const path = join(folder, name)
  return isLink(folder) || isLink(path) ? null : path
}

/** Creates the folder for the cassettes of a tape. Throws if a link is in its place. */
export function makeCassettesFolder(tape: string): void {
  const folder = cassettesFolder(tape)
  refuseLink(folder)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Of the manifest, which names the digest of every other file; null where there is none. */
export function cassetteHash(folder: string): ContentHash | null {
  return hashOf(folder, MANIFEST)
}

/** The same, with the digest of the output. */
export function cassetteHashes(folder: string): {
  readonly manifestHash: ContentHash | null
  readonly outputHash: ContentHash | null
} {
  return { manifestHash: hashOf(folder, MANIFEST), outputHash: hashOf(folder, OUTPUT) }
}

function hashOf(folder: string, name: string): ContentHash | null {
  try {
    const bytes = readPlainFile(join(folder, name))
    return bytes === null ? null : contentHash(bytes)
  } catch {
    // Missing or unreadable: the comparison reports that there is nothing to compare with.
    return null
  }
}

/** Copies one cassette next to another tape. False where there is none. */
export function copyCassette(from: string, name: string, to: string, newName: string = name): boolean {
  const [source, target] = [cassettePath(from, name), cassettePath(to, newName)]
  if (
    source === null ||
    target === null ||
    fs.lstatSync(source, { throwIfNoEntry: false })?.isDirectory() !== true
  )
    return false
  try {
    fs.mkdirSync(target, { recursive: true, mode: 0o700 })
    for (const entry of fs.readdirSync(source, { withFileTypes: true })) {
      if (entry.isFile()) fs.copyFileSync(join(source, entry.name), join(target, entry.name))
    }
  } catch (error) {
    throw fromSystemError(error, 'copy', source)
  }
  return true
}

/**
 * The names in the folder that no recording gives: what a recording left behind that never closed, or what is
 * not ours.
 */
export function strayCassettes(tape: string, named: ReadonlySet<string>): string[] {
  const folder = cassettesFolder(tape)
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return fs.readdirSync(folder).filter((name) => !named.has(name))
}

export function removeCassettes(tape: string): void {
  const folder = cassettesFolder(tape)
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
    fs.rmSync(folder, { recursive: true, force: true })
}
