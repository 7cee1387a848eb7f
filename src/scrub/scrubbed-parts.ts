/**
 * Makes scrubbed values out of scrubbed parts: joined, cut, encoded, decoded, printed as JSON. None of these functions looks for
 * secrets. Each takes scrubbed values, or literals of our own code, by type, so that an unscrubbed part is a type error at the call.
 */
import { asScrubbed, type Scrubbed, type ScrubbedText } from './scrubbed.ts'

/** As `T`, where `T` contains no free string and no bytes: a literal, a number, a label or hash, or what is scrubbed already. */
type Clean<T> = T & Scrubbed<T>

/** A template of our own words around scrubbed parts: `` scrubbedText`sync ${key}` ``. */
export function scrubbedText<const T extends readonly (string | number | bigint)[]>(
  words: TemplateStringsArray,
  ...parts: { readonly [K in keyof T]: Clean<T[K]> }
): ScrubbedText {
  return asScrubbed<string>(words.reduce((text, word, at) => `${text}${parts[at - 1]}${word}`))
}
