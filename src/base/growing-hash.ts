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
import { knownCommon } from './grown-list.ts'

type Known = {
  readonly head: string
  readonly pieces: readonly string[]
  /** After the head and all pieces. */
  readonly stream: Blake3Stream
  /** Of the pieces. */
  readonly characters: number
}

const MAX_KNOWN = 4
/** Longer texts are not kept: four of them would take as much memory as the program. */
const LONGEST_KNOWN = 8 * 1024 * 1024
/** Pieces are hashed in groups of so many characters, so that the whole text is never built. */
const GROUP_CHARACTERS = 1024 * 1024

export class GrowingHash {
  readonly #known: Known[] = []

  hash(head: string, pieces: readonly string[], tail: string): ContentHash {
    const known = this.#known.findLast((each) => each.head === head && isPrefix(each.pieces, pieces))
    const stream = known?.stream.copy() ?? createBlake3()
    const added =
      known === undefined
        ? addPieces(stream, head, pieces, 0)
        : addPieces(stream, ',', pieces, known.pieces.length)
    const characters = (known?.characters ?? 0) + added
    // An empty list would need no comma before its first piece.
    if (pieces.length > 0 && characters <= LONGEST_KNOWN)
      this.#remember({ head, pieces, stream: stream.copy(), characters }, known)
    stream.update(utf8(tail))
    return stream.digest()
  }

  #remember(next: Known, replaced: Known | undefined): void {
    if (replaced !== undefined) this.#known.splice(this.#known.indexOf(replaced), 1)
    this.#known.push(next)
    if (this.#known.length > MAX_KNOWN) this.#known.shift()
  }
}

/** Hashes `before` and the pieces from `from` on. Returns how many characters those are. */
function addPieces(stream: Blake3Stream, before: string, pieces: readonly string[], from: number): number {
  if (from > 0 && from >= pieces.length) return 0
  let group: string[] = []
  let [grouped, length] = [0, 0]
  let lead = before
  const flush = (): void => {
    stream.update(utf8(`${lead}${group.join(',')}`))
    lead = ','
    length += grouped
    group = []
    grouped = 0
  }
  for (let at = from; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? ''
    group.push(piece)
    grouped += piece.length
    if (grouped >= GROUP_CHARACTERS) flush()
  }
  if (group.length > 0 || pieces.length === 0) flush()
  return length
}

function isPrefix(first: readonly string[], pieces: readonly string[]): boolean {
  if (first.length > pieces.length) return false
  const known = knownCommon(first, pieces)
  for (let at = first.length - 1; at >= known; at -= 1) if (first[at] !== pieces[at]) return false
  return true
}
