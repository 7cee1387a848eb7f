/**
 * What every writer asks of the scrubber. One scrubber serves one run: it remembers which secrets it has met, so that the second distinct secret
 * of a kind is `<redacted:KIND#2>` wherever it turns up again.
 */
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from './scrubbed.ts'

/**
 * `sent`: what the program or its user wrote (requests, headers, URLs, environment, command lines): every rule applies.
 * `received`: what the program takes in and acts on (answers, files, child output, stdin): only exact known values and anchored key shapes, so
 * that a replay hands the program what it had, apart from real secrets.
 */
export type Side = 'sent' | 'received'

export type Scrubber = {
  /** How many secrets have been replaced so far; a record's `scrubbed: n` is the difference before and after. */
  readonly hits: number
  text(text: string, side: Side): ScrubbedText
  /** JSON text, replaced span by span: white space, key order and number spellings stay. Text that is not JSON is treated as text. */
  jsonText(text: string, side: Side): ScrubbedText
  /** Every string and byte array in a plain value, with the field-name rules. */
  value<T>(value: T, side: Side): Scrubbed<T>
  bytes(bytes: Uint8Array, side: Side): ScrubbedBytes
  header(name: string, value: string): ScrubbedText
  url(url: string): ScrubbedText
  env(name: string, value: string): ScrubbedText
  /** For bytes that come in chunks: a secret split at any offset is found, and no more is held back than that needs. */
  stream(side: Side): StreamScrubber
  /** Makes a value known as a secret from here on, also in its base64, URL-encoded and JSON-escaped forms. */
  learn(kind: string, secret: string): void
  report(): ScrubReport
}

export type StreamScrubber = {
  /** The bytes that are certain by now; the rest comes with a later chunk, or with `end`. */
  push(chunk: Uint8Array): ScrubbedBytes
  end(): ScrubbedBytes
}

export type ScrubReport = {
  readonly total: number
  readonly rules: readonly { readonly rule: string; readonly placeholder: string; readonly count: number; readonly places: readonly string[] }[]
}
