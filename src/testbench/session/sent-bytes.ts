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

const EMPTY: Buffer = Buffer.alloc(0)

export class SentBytes {
  #expected = EMPTY
  #actual = EMPTY
  /** The part of the current line that was the same on both sides, and its number. */
  #line = EMPTY
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
    const [expected, actual] = [this.#expected.subarray(0, length), this.#actual.subarray(0, length)]
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
    const same = this.#expected.subarray(0, length)
    for (let at = same.indexOf(NEWLINE); at >= 0; at = same.indexOf(NEWLINE, at + 1)) this.#lineNumber += 1
    const at = same.lastIndexOf(NEWLINE)
    const line = at < 0 ? Buffer.concat([this.#line, same]) : same.subarray(at + 1)
    this.#line = Buffer.from(line.subarray(-4 * MAX_SHOWN))
    this.#expected = this.#expected.subarray(length)
    this.#actual = this.#actual.subarray(length)
  }

  #difference(): Difference {
    return {
      where: `line ${this.#lineNumber}`,
      expected: this.#shown(this.#expected),
      actual: this.#shown(this.#actual),
    }
  }

  #shown(rest: Buffer): string {
    if (rest.length === 0 && this.#line.length === 0) return 'the end'
    const end = rest.indexOf(NEWLINE)
    const isLong = this.#line.length > MAX_SHOWN / 2
    const line = Buffer.concat([
      isLong ? Buffer.from('…') : EMPTY,
      isLong ? wholeCharacters(this.#line.subarray(-MAX_SHOWN / 4)) : this.#line,
      end < 0 ? rest.subarray(0, 4 * MAX_SHOWN) : rest.subarray(0, end),
    ])
    const text = textOrNull(line)
    if (text === null) return hexOf(this.#line.subarray(-SHOWN_BYTES / 4), rest)
    return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)
  }
}

/** The bytes around the difference. */
function hexOf(same: Buffer, rest: Buffer): string {
  return `0x${Buffer.concat([same, rest.subarray(0, SHOWN_BYTES - same.length)]).toString('hex')}`
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
