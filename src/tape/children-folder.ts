/**
 * The tapes of a program's Node children: `<tape>.children/<n>.tape`, `n` being the number of the child in the
 * order of starts. A second Node process below the same child has `<n>.2.tape`. Children of a child are next to
 * its own tape, in the same way.
 *
 * Only plain files with such names, in folders that are no links, are followed.
 */
import { basename, join } from 'node:path'
import { type ContentHash, createBlake3 } from '../base/index.ts'
import { fromSystemError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { Kind } from './kinds.ts'
import { recordFromText } from './parser.ts'
import { readChunks } from './reader.ts'

const NAME = /^(\d{1,9})(?:\.(\d{1,9}))?\.tape$/
/** Deeper trees are not followed: a hostile folder must not keep a command busy. */
const MAX_DEPTH = 32

export function childrenFolder(tape: string): string {
  return `${tape}.children`
}

/** `process` is 1 for the first Node process below the child. */
export function childTapeName(child: number, process: number): string {
  return process === 1 ? `${child}.tape` : `${child}.${process}.tape`
}

/** The tapes of the direct children of a tape by name, in the order of their numbers. */
export function childTapeNames(tape: string): string[] {
  const folder = childrenFolder(tape)
  if (!isFolder(folder)) return []
  try {
    const entries = fs.readdirSync(folder, { withFileTypes: true })
    return entries
      .flatMap((entry) => (entry.isFile() && NAME.test(entry.name) ? [entry.name] : []))
      .sort(byNumber)
  } catch (error) {
    throw fromSystemError(error, 'read', folder)
  }
}

export type TapeOfTree = {
  readonly path: string
  /** Relative to the folder of the first tape's children: `2.tape`, `2.tape.children/1.tape`. */
  readonly name: string
}

/** The tapes of all children, each before its own children. Without the tape itself. */
export function childTapes(tape: string): TapeOfTree[] {
  return below(tape, '', 0)
}

function below(tape: string, prefix: string, depth: number): TapeOfTree[] {
  if (depth >= MAX_DEPTH) return []
  return childTapeNames(tape).flatMap((name) => {
    const path = join(childrenFolder(tape), name)
    return [{ path, name: `${prefix}${name}` }, ...below(path, `${prefix}${name}.children/`, depth + 1)]
  })
}

/** Where the copy of a child's tape belongs if the copy of the first tape is `out`. */
export function copyPath(out: string, { name }: TapeOfTree): string {
  return join(childrenFolder(out), name)
}

/** Whether a child that is named on a tape has its tape there. */
export function hasChildTape(tape: string, name: string): boolean {
  return (
    NAME.test(name) &&
    fs.lstatSync(join(childrenFolder(tape), name), { throwIfNoEntry: false })?.isFile() === true
  )
}

/** The name of a tape as its children's headers have it. */
export function parentName(tape: string): string {
  return basename(tape)
}

/**
 * What the seal of a tape contains about the tape of a child: the chain of its seal; `{hash}` of all its bytes for
 * a child that was killed and could not seal it; null for one that was not at its end.
 */
export type ChildSeal = ContentHash | { readonly hash: ContentHash } | null

/** Of each direct child. `ended` are those that have ended. Reads only the ends of sealed tapes. */
export function childSeals(tape: string, ended: ReadonlySet<string>): { readonly [name: string]: ChildSeal } {
  const seals: Record<string, ChildSeal> = {}
  for (const name of childTapeNames(tape)) {
    const path = join(childrenFolder(tape), name)
    seals[name] = sealedChain(path) ?? (ended.has(name) ? { hash: hashOfTape(path) } : null)
  }
  return seals
}

/** Of all bytes of a tape. */
export function hashOfTape(path: string): ContentHash {
  const hash = createBlake3()
  for (const chunk of readChunks(path)) hash.update(chunk)
  return hash.digest()
}

/** A seal names every direct child, so it can be long. Most are short. */
const SEAL_BYTES = 4 * 1024 * 1024
const USUAL_SEAL_BYTES = 4 * 1024

/** The chain of the seal of a tape; null without a seal. */
export function sealedChain(path: string): ContentHash | null {
  return sealOf(path)?.chain ?? null
}

/** The last line of a tape, if that is a seal. */
export function sealOf(path: string): Kind<'tape_seal'> | null {
  const file = fs.openSync(path, 'r')
  try {
    const { size } = fs.fstatSync(file)
    const end = endOf(file, size, USUAL_SEAL_BYTES)
    const line = lastLine(end) ?? lastLine(endOf(file, size, SEAL_BYTES))
    const kind = line === null ? undefined : recordFromText(line)?.kind
    return kind?.kind === 'tape_seal' ? kind : null
  } finally {
    fs.closeSync(file)
  }
}

function endOf(file: number, size: number, most: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, most))
  fs.readSync(file, bytes, 0, bytes.byteLength, size - bytes.byteLength)
  return bytes
}

const LINE_BREAK = 0x0a

/** Without its line break; null if it has none, or begins before these bytes. */
function lastLine(bytes: Buffer): string | null {
  if (bytes.byteLength < 2 || bytes.at(-1) !== LINE_BREAK) return null
  const start = bytes.lastIndexOf(LINE_BREAK, -2)
  return start === -1 ? null : bytes.toString('utf8', start + 1, bytes.byteLength - 1)
}

export function removeChildren(tape: string): void {
  const folder = childrenFolder(tape)
  if (isFolder(folder)) fs.rmSync(folder, { recursive: true, force: true })
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function byNumber(a: string, b: string): number {
  const [[a1, a2], [b1, b2]] = [numbersOf(a), numbersOf(b)]
  return a1 - b1 || a2 - b2
}

function numbersOf(name: string): readonly [child: number, process: number] {
  const [, child, process] = NAME.exec(name) ?? []
  return [Number(child ?? 0), Number(process ?? 1)]
}
