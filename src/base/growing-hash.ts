/**
 * Hashes texts that grow: `head`, pieces with commas in between, `tail`. What an earlier text with the same head
 * began with is not hashed again. The result is `contentHashOfText` of the whole text.
 *
 * Keeps the state of BLAKE3 after the pieces of a few texts, and the pieces: the caller has those anyway.
 *
 * Decision 0335.
 */
import { type Blake3Stream, type ContentHash, createBlake3 } from './blake3.ts'
import { utf8 } from './bytes.ts'

type Known = {
  readonly head: string
  readonly pieces: readonly string[]
  /** After the head and all pieces. */
  readonly stream: Blake3Stream
}

const MAX_KNOWN = 4

export class GrowingHash {
  readonly #known: Known[] = []

  hash(head: string, pieces: readonly string[], tail: string): ContentHash {
    const known = this.#known.findLast((each) => each.head === head && isPrefix(each.pieces, pieces))
    const stream = known?.stream.copy() ?? createBlake3()
    if (known === undefined) stream.update(utf8(`${head}${pieces.join(',')}`))
    else if (pieces.length > known.pieces.length)
      stream.update(utf8(`,${pieces.slice(known.pieces.length).join(',')}`))
    // An empty list would need no comma before its first piece.
    if (pieces.length > 0) this.#remember({ head, pieces, stream: stream.copy() }, known)
    stream.update(utf8(tail))
    return stream.digest()
  }

  #remember(next: Known, replaced: Known | undefined): void {
    if (replaced !== undefined) this.#known.splice(this.#known.indexOf(replaced), 1)
    this.#known.push(next)
    if (this.#known.length > MAX_KNOWN) this.#known.shift()
  }
}

/** Pieces that were kept are the same strings, so comparing them takes no time. */
function isPrefix(first: readonly string[], pieces: readonly string[]): boolean {
  if (first.length > pieces.length) return false
  for (let at = first.length - 1; at >= 0; at -= 1) if (first[at] !== pieces[at]) return false
  return true
}
