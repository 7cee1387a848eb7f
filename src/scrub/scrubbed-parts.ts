/**
 * Makes scrubbed values out of scrubbed parts: joined, cut, encoded, decoded, printed as JSON. None of these
 * functions searches for secrets. Each accepts only scrubbed values, or literals of our own code, by type, so
 * that an unscrubbed part is a type error at the call.
 */
import {
  type ContentHash,
  canonicalJson,
  canonicalJsonText,
  type GrowingJson,
  isUtf8,
  type Json,
  type ReadObject,
  utf8,
} from '../base/index.ts'
import {
  asScrubbed,
  type Scrubbed,
  type ScrubbedBytes,
  type ScrubbedJson,
  type ScrubbedText,
} from './scrubbed.ts'

/**
 * As `T`, if `T` contains no free string and no bytes: a literal, a number, a label or hash, or an already
 * scrubbed value.
 */
type Clean<T> = T & Scrubbed<T>

export type ScrubbedObject = { readonly [key: string]: ScrubbedJson }

export const noScrubbedBytes: ScrubbedBytes = asScrubbed<Uint8Array>(new Uint8Array(0))

/** The same number of mask characters. */
export function maskOf(length: number): ScrubbedBytes {
  return asScrubbed<Uint8Array>(Buffer.alloc(length, '*'))
}

/** A template of our own words around scrubbed parts: `` scrubbedText`sync ${key}` ``. */
export function scrubbedText<const T extends readonly (string | number | bigint)[]>(
  words: TemplateStringsArray,
  ...parts: { readonly [K in keyof T]: Clean<T[K]> }
): ScrubbedText {
  return asScrubbed<string>(words.reduce((text, word, at) => `${text}${parts[at - 1]}${word}`))
}

export function joinScrubbed(parts: readonly ScrubbedText[], separator: ' ' | ',' | '\n' | ''): ScrubbedText {
  return asScrubbed<string>(parts.join(separator))
}

/** Copies: the result shares no memory with the parts. */
export function concatScrubbed(parts: readonly ScrubbedBytes[]): ScrubbedBytes {
  return asScrubbed<Uint8Array>(Buffer.concat(parts))
}

export function sliceScrubbed(text: ScrubbedText | ContentHash, start: number, end?: number): ScrubbedText {
  return asScrubbed<string>(text.slice(start, end))
}

/** Shares the memory of `bytes`. */
export function sliceScrubbedBytes(bytes: ScrubbedBytes, start: number, end?: number): ScrubbedBytes {
  return asScrubbed<Uint8Array>(bytes.subarray(start, end))
}

/** `part` itself, if it occurs in the scrubbed text; else null. */
export function partOfScrubbed(whole: ScrubbedText, part: string): ScrubbedText | null {
  return whole.includes(part) ? asScrubbed<string>(part) : null
}

export function scrubbedUtf8(text: ScrubbedText): ScrubbedBytes {
  return asScrubbed<Uint8Array>(utf8(text))
}

/** Null if the bytes are not UTF-8. */
export function scrubbedTextOrNull(bytes: ScrubbedBytes): ScrubbedText | null {
  return isUtf8(bytes) ? asScrubbed<string>(bufferOf(bytes).toString('utf8')) : null
}

/**
 * `text` itself, if these bytes are its UTF-8; else null. Cheaper than decoding bytes whose text is already
 * known.
 */
export function textOfScrubbed(bytes: ScrubbedBytes, text: string): ScrubbedText | null {
  return Buffer.byteLength(text) === bytes.byteLength && bufferOf(bytes).equals(utf8(text))
    ? asScrubbed<string>(text)
    : null
}

export function scrubbedBase64(bytes: ScrubbedBytes): ScrubbedText {
  return asScrubbed<string>(bufferOf(bytes).toString('base64'))
}

/** JSON of literals, numbers, labels and scrubbed values. */
export function scrubbedJson<T extends Json>(value: Clean<T>): ScrubbedJson {
  return asScrubbed<Json>(value)
}

export function printScrubbed(value: ScrubbedJson): ScrubbedText {
  return asScrubbed<string>(JSON.stringify(value))
}

/** Undefined if the text is not JSON. */
export function parseScrubbed(text: ScrubbedText): ScrubbedJson | undefined {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller has another use for the text.
    return undefined
  }
}

/** An object as `GrowingJson` reads it. */
export type ScrubbedRead = Omit<ReadObject, 'value'> & { readonly value: ScrubbedObject }

export function readScrubbed(reader: GrowingJson, bytes: ScrubbedBytes): ScrubbedRead | null {
  const read = reader.read(bytes)
  return read === null ? null : { ...read, value: asScrubbed<{ readonly [name: string]: Json }>(read.value) }
}

/** The names of the members. */
export function scrubbedNames(object: ScrubbedObject): ScrubbedText[] {
  return Object.keys(object).map((name) => asScrubbed<string>(name))
}

export function canonicalScrubbed(value: ScrubbedJson): ScrubbedText {
  return asScrubbed<string>(canonicalJson(value))
}

export function canonicalScrubbedText(text: ScrubbedText): ScrubbedText {
  return asScrubbed<string>(canonicalJsonText(text))
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
