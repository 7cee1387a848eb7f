/**
 * Whether the program sends a subprocess what it sent when recorded. Both sides come piece by piece, cut
 * anywhere, either one first; what has been compared is forgotten. The first difference is reported with its
 * line.
 *
 * Decision 0122.
 */
import { textOrNull } from '../../base/index.ts'
import type { Divergence } from '../../fidelity/divergence.ts'

export type Difference = {
  readonly where: string
  readonly expected: string
  readonly actual: string
  /** The first differing field, where what is sent has fields. */
  readonly path?: string | null
  /** The recorded value of that field, and the value of this run. */
  readonly field?: { readonly expected: string; readonly actual: string }
  /** The reply of the child: given to the program in place of an error. */
  readonly answer?: (divergence: Divergence) => Uint8Array
  /** Further differences in the same bytes. */
  readonly also?: readonly Difference[]
}

const MAX_SHOWN = 120
/** Of bytes that are no text. */
const SHOWN_BYTES = 32
const NEWLINE = 0x0a
const MOST_KEPT = 4 * MAX_SHOWN

const EMPTY: Buffer = Buffer.alloc(0)

export class SentBytes {
  #expected = EMPTY
  #actual = EMPTY
  /** What was the same on both sides in the current line: its last pieces, enough to show it. */
  #same: Buffer[] = []
  #sameBytes = 0
  #lineNumber = 1
  #differs = false

  live(bytes: Uint8Array): Difference | null {
    this.#actual = joined(this.#actual, bytes)
    return this.#compare()
  }

  recorded(bytes: Uint8Array): Difference | null {
    this.#expected = joined(this.#expected, bytes)
    return this.#compare()
  }

  isBehind(): boolean {
    return !this.#differs && this.#expected.length > 0
  }

  leftover(): Difference | null {
    return this.#differs || (this.#expected.length === 0 && this.#actual.length === 0)
      ? null
      : this.#difference()
  }

  received(bytes: Uint8Array): Uint8Array {
    return bytes
  }

  #compare(): Difference | null {
    if (this.#differs) return null
    const length = Math.min(this.#expected.length, this.#actual.length)
    if (length === 0) return null
    const [expected, actual] = [firstOf(this.#expected, length), firstOf(this.#actual, length)]
    if (expected.equals(actual)) {
      this.#pass(length)
      return null
    }
    let same = 0
    while (expected[same] === actual[same]) same += 1
    this.#pass(same)
    this.#differs = true
    return this.#difference()
  }

  /** Goes past bytes that are the same. */
  #pass(length: number): void {
    const same = firstOf(this.#expected, length)
    let last = -1
    for (let at = same.indexOf(NEWLINE); at >= 0; at = same.indexOf(NEWLINE, at + 1)) {
      this.#lineNumber += 1
      last = at
    }
    if (last >= 0) {
      this.#same = []
      this.#sameBytes = 0
    }
    this.#keep(same.subarray(Math.max(last + 1, same.length - MOST_KEPT)))
    this.#expected = restOf(this.#expected, length)
    this.#actual = restOf(this.#actual, length)
  }

  #keep(piece: Buffer): void {
    this.#same.push(piece)
    this.#sameBytes += piece.length
    for (let first = this.#same[0]; first !== undefined; first = this.#same[0]) {
      if (this.#sameBytes - first.length < MOST_KEPT) return
      this.#sameBytes -= first.length
      this.#same.shift()
    }
  }

  get #line(): Buffer {
    return Buffer.concat(this.#same).subarray(-MOST_KEPT)
  }

  #difference(): Difference {
    return {
      where: `line ${this.#lineNumber}`,
      expected: this.#shown(this.#expected),
      actual: this.#shown(this.#actual),
    }
  }

  #shown(rest: Buffer): string {
    const same = this.#line
    if (rest.length === 0 && same.length === 0) return 'the end'
    const end = rest.indexOf(NEWLINE)
    const isLong = same.length > MAX_SHOWN / 2
    const line = Buffer.concat([
      isLong ? Buffer.from('…') : EMPTY,
      isLong ? wholeCharacters(same.subarray(-MAX_SHOWN / 4)) : same,
      end < 0 ? rest.subarray(0, 4 * MAX_SHOWN) : rest.subarray(0, end),
    ])
    const text = textOrNull(line)
    if (text === null) return hexOf(same.subarray(-SHOWN_BYTES / 4), rest)
    return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)
  }
}

/** The bytes around the difference. */
function hexOf(same: Buffer, rest: Buffer): string {
  return `0x${Buffer.concat([same, rest.subarray(0, SHOWN_BYTES - same.length)]).toString('hex')}`
}

/** Most often this is all of it: then there is nothing to cut. */
function firstOf(bytes: Buffer, length: number): Buffer {
  return bytes.length === length ? bytes : bytes.subarray(0, length)
}

function restOf(bytes: Buffer, length: number): Buffer {
  return bytes.length === length ? EMPTY : bytes.subarray(length)
}

function joined(before: Buffer, bytes: Uint8Array): Buffer {
  if (before.length === 0) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Buffer.concat([before, bytes])
}

/** Without the rest of a character that begins before the cut. */
function wholeCharacters(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, start))
}
