/**
 * Puts a new tape in the place of an old one, which need not be there. At every moment the name refers to
 * one whole tape: payloads come first, then the tape itself, and what only the old one needed goes last.
 */
import { isContentHash } from '../base/index.ts'
import { fromSystemError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { casFolder } from './cas.ts'
import { cassettesFolder, removeCassettes } from './cassettes-folder.ts'
import { childrenFolder, removeChildren } from './children-folder.ts'

export function replaceTape(fresh: string, path: string): void {
  try {
    const wanted = movePayloads(casFolder(fresh), casFolder(path))
    moveCassettes(fresh, path)
    moveChildren(fresh, path)
    fs.renameSync(fresh, path)
    dropOthers(casFolder(path), wanted)
  } catch (error) {
    throw fromSystemError(error, 'replace', path)
  }
}

function movePayloads(from: string, to: string): ReadonlySet<string> {
  const wanted = new Set(entriesOf(from))
  if (wanted.size > 0) fs.mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of wanted) fs.renameSync(`${from}/${name}`, `${to}/${name}`)
  return wanted
}

/** The tape names the hash of each cassette: a crash between the two renames is reported by `verify`. */
function moveCassettes(from: string, to: string): void {
  removeCassettes(to)
  if (fs.existsSync(cassettesFolder(from))) fs.renameSync(cassettesFolder(from), cassettesFolder(to))
}

/** The seal has the chain of each child's tape: a crash between the two renames is reported by `verify`. */
function moveChildren(from: string, to: string): void {
  removeChildren(to)
  if (fs.existsSync(childrenFolder(from))) fs.renameSync(childrenFolder(from), childrenFolder(to))
}

function dropOthers(folder: string, wanted: ReadonlySet<string>): void {
  const there = entriesOf(folder)
  for (const name of there) if (!wanted.has(name)) fs.unlinkSync(`${folder}/${name}`)
  if (there.length > 0 && fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
}

/** Only what a writer of tapes has put there. */
function entriesOf(folder: string): string[] {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return fs.readdirSync(folder).filter(isContentHash)
}
