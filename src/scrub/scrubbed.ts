/**
 * `Scrubbed<T>`: a value that may be written to disk. A type only; nothing is added at run time.
 *
 * Every free string and byte array in `T` must be scrubbed. Numbers, literals and branded strings such as a
 * content hash are accepted as they are. An unscrubbed string in the value of a member or of a list is a type
 * error at the line that writes it. The names of members are not checked: `scrubber.value` scrubs them, but
 * an object literal with a computed name compiles.
 *
 * Made by the scrubber, by `scrubbed-parts.ts` out of scrubbed parts, and by the two functions below, which
 * take any value. `npm run layers` limits who may call those two; no entry of the package exports them.
 *
 * Decision 0002.
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

/**
 * Free JSON first: the recursive type is spelled out above, since the compiler does not follow a conditional
 * type through it.
 */
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

/**
 * For what was read from a tape or a cassette, and is copied to another: Reprise scrubbed it before it wrote
 * it. Nothing is checked here. A foreign tape may contain secrets; `reprise scrub` removes those.
 */
export function fromDisk<T>(value: T): Scrubbed<T> {
  return asScrubbed(value)
}

/** The cast behind every function that makes a `Scrubbed` value. For files of this folder only. */
export function asScrubbed<T>(value: T): Scrubbed<T> {
  return value as Scrubbed<T>
}

/**
 * For text that Reprise itself computed and that has no type of its own: the public key and the signature of
 * a seal.
 */
export function fromReprise<T>(value: T): Scrubbed<T> {
  return asScrubbed(value)
}
