/**
 * The files that the program appends to, each with its size after the last append.
 *
 * As long as a file has grown only by what the program appended, its earlier content is on the tape already, and
 * the next append is recorded alone. Otherwise a log of n lines would be on the tape n times.
 *
 * Does not detect: another process that changes the earlier content and keeps its size.
 *
 * Decision 0532.
 */
import type { Answer, Session } from '../session.ts'
import { contentNow, LARGE_BYTES, piecesNow, sizeNow } from './file-access.ts'
import { endsWith } from './large-append.ts'

type FileWrite = Extract<Answer, { readonly type: 'file_write' }>
type Appended = Required<Pick<FileWrite, 'bytes' | 'from' | 'whole'>> & Pick<FileWrite, 'pieces'>

/** The least recently appended file is forgotten first: its next append has the whole content again. */
const MOST_FILES = 256

export class AppendedFiles {
  readonly #session: Session
  readonly #sizes = new Map<string, number>()

  constructor(session: Session) {
    this.#session = session
  }

  get isEmpty(): boolean {
    return this.#sizes.size === 0
  }

  /** The piece alone, if it is all that the file has grown by since the last append; else null. */
  grownBy(absolute: string, piece: Uint8Array): Appended | null {
    const before = this.#sizes.get(absolute)
    if (before === undefined) return null
    this.#sizes.delete(absolute)
    const size = before + piece.byteLength
    if (sizeNow(this.#session, absolute) !== size) return null
    if (!endsWith(this.#session, absolute, size, piece)) return null
    this.#sizes.set(absolute, size)
    const whole = (): Uint8Array => contentNow(this.#session, absolute)?.subarray(0, size) ?? piece
    const part = { bytes: piece, from: before, whole }
    return size <= LARGE_BYTES ? part : { ...part, pieces: () => piecesNow(this.#session, absolute, 0, size) }
  }

  /** The whole content is recorded up to this size. */
  recorded(absolute: string, size: number): void {
    this.#sizes.delete(absolute)
    this.#sizes.set(absolute, size)
    if (this.#sizes.size <= MOST_FILES) return
    const oldest = this.#sizes.keys().next()
    if (oldest.done !== true) this.#sizes.delete(oldest.value)
  }

  /** The program changes this file, or everything in this folder, in another way. */
  forget(absolute: string): void {
    this.#sizes.delete(absolute)
    const folder = absolute.endsWith('/') ? absolute : `${absolute}/`
    for (const path of this.#sizes.keys()) if (path.startsWith(folder)) this.#sizes.delete(path)
  }
}
