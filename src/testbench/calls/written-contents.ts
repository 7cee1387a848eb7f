/**
 * In a run that may leave its tape: the content of the files that it writes. The tape answers its reads. A file
 * that this run has written otherwise is read as this run wrote it.
 *
 * Does not follow a file that is renamed or copied, and reads by a descriptor.
 */
import type { Sent } from '../../boundaries/session.ts'

/** Loaded when it is needed: the files of a tape are not held in memory. */
export type Piece = { readonly length: number; bytes(): Uint8Array }

export type RecordedContent = {
  /** The whole content, or the part from `from` on. */
  readonly piece: Piece
  readonly isPart: boolean
  /** Where what was appended begins; null for another write. */
  readonly from: number | null
}

const NOTHING = new Uint8Array()

export class WrittenContents {
  readonly #recorded = new Map<string, Content>()
  /** Unscrubbed. Only files that differ from the recorded ones. */
  readonly #own = new Map<string, Content>()

  /** What this run wrote if that differs from the tape; else null. */
  read(path: string): Uint8Array | null {
    return this.#own.get(path)?.joined() ?? null
  }

  deleted(path: string): void {
    this.#recorded.delete(path)
    this.#own.delete(path)
  }

  /** The tape has answered a write. `sent`: what this run writes; undefined if a subprocess writes it. */
  wrote(path: string, recorded: RecordedContent, sent: Sent | undefined, isOther: boolean): void {
    const { piece, isPart, from } = recorded
    const before = (isPart ? this.#recorded.get(path) : undefined) ?? new Content()
    if (isPart && from !== null) before.cut(from)
    const own = this.#own.get(path) ?? null
    if (sent === undefined) this.#own.delete(path)
    else if (own !== null || isOther) {
      const now = from === null ? changed(piece, own, sent) : grown(own, before, recorded, sent)
      if (now === null) this.#own.delete(path)
      else this.#own.set(path, now)
    }
    before.add(piece)
    this.#recorded.set(path, before)
  }
}

/** Null if it is the recorded content again. */
function changed(piece: Piece, own: Content | null, sent: Sent): Content | null {
  const recorded = piece.bytes()
  const bytes = sent(own?.joined() ?? recorded, recorded.byteLength)
  return Buffer.compare(bytes, recorded) === 0 ? null : new Content(bytes)
}

/** `before` is what earlier records have of the file. */
function grown(
  own: Content | null,
  before: Content,
  { piece, isPart, from }: RecordedContent,
  sent: Sent,
): Content {
  const start = from ?? 0
  const recorded = isPart ? NOTHING : piece.bytes()
  const content = own ?? new Content(isPart ? before.joined() : recorded.subarray(0, start))
  content.addBytes(isPart ? sent(NOTHING, 0) : sent(recorded, start).subarray(start))
  return content
}

/** Content in pieces: a log that grows line by line is joined only when it is read. */
class Content {
  #pieces: Piece[] = []
  length = 0

  constructor(bytes: Uint8Array = NOTHING) {
    this.addBytes(bytes)
  }

  add(piece: Piece): void {
    this.#pieces.push(piece)
    this.length += piece.length
  }

  addBytes(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.add({ length: bytes.byteLength, bytes: () => bytes })
  }

  /** Removes what is after this length. */
  cut(length: number): void {
    while (this.length > length) {
      const last = this.#pieces.pop()
      if (last === undefined) return
      this.length -= last.length
      const rest = length - this.length
      if (rest > 0) this.add({ length: rest, bytes: () => last.bytes().subarray(0, rest) })
    }
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#pieces.map((piece) => piece.bytes()))
  }
}
