/**
 * `Scrubbed<T>`: a value that may be written to disk. A type only; nothing is added at run time.
 *
 * It goes through the structure: every free string and byte array in it must have come from the scrubber (or from a file), while numbers,
 * literals and branded strings such as a content hash pass as they are. So a record of numbers needs no ceremony, and one unscrubbed string
 * anywhere in a record is a type error at the line that writes it.
 */
import type { ContentHash, DecimalText, Json, Label } from '../base/index.ts'

declare const scrubbedBrand: unique symbol

export type ScrubbedText = string & { readonly [scrubbedBrand]: true }
export type ScrubbedBytes = Uint8Array & { readonly [scrubbedBrand]: true }
export type ScrubbedJson =
  | null
  | boolean
  | number
  | bigint
  | ScrubbedText
  | ContentHash
  | DecimalText
  | Label
  | readonly ScrubbedJson[]
  | { readonly [key: string]: ScrubbedJson }

/** Free JSON first: the recursive type is spelled out above, since the compiler does not follow a conditional type through it. */
export type Scrubbed<T> = [Json] extends [T] ? ScrubbedJson : ScrubbedParts<T>

type ScrubbedParts<T> = T extends Uint8Array
  ? ScrubbedBytes
  : T extends string
    ? string extends T
      ? ScrubbedText
      : T
    : T extends number | bigint | boolean | null | undefined
      ? T
      : { readonly [K in keyof T]: Scrubbed<T[K]> }

/** What was read from a tape, a cassette or a journal was scrubbed when it was written there; `reprise scrub` cleans what was not. */
export function fromDisk<T>(value: T): Scrubbed<T> {
  return asScrubbed(value)
}

/** The one cast. Not exported from the layer: outside of it only the scrubber and `fromDisk` make a `Scrubbed`. */
export function asScrubbed<T>(value: T): Scrubbed<T> {
  return value as Scrubbed<T>
}

/** Words and numbers that Reprise itself made (constants, digests, public keys), with nothing of the program's in them. */
export function ownWords<T>(value: T): Scrubbed<T> {
  return asScrubbed(value)
}
