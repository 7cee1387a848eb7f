/**
 * What every writer asks of the scrubber. One scrubber serves one run: it remembers which secrets it has met,
 * so that the second distinct secret of a kind is `<redacted:KIND#2>` wherever it turns up again.
 */
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from './scrubbed.ts'

/**
 * `sent`: what the program or its user wrote (requests, headers, URLs, environment, command lines): every
 * rule applies. `received`: what the program takes in and acts on (answers, files, child output, stdin): only
 * exact known values and anchored key shapes, so that a replay hands the program what it had, apart from real
 * secrets.
 */
export type Side = 'sent' | 'received'

export type Scrubber = {
  /**
   * How many secrets have been replaced so far; a record's `scrubbed: n` is the difference before and after.
   */
  readonly hits: number
  /**
   * Another number once something has been learned: what was found before may not be all that is found now.
   */
  readonly version: number
  /** `place` goes into the report; without it, the offset does. */
  text(text: string, side: Side, place?: string): ScrubbedText
  /**
   * JSON text, replaced span by span: white space, key order and number spellings stay. Text that is not JSON
   * is treated as text.
   */
  jsonText(text: string, side: Side, place?: string): ScrubbedText
  /** Every string and byte array in a plain value, with the field-name rules. */
  value<T>(value: T, side: Side, place?: string): Scrubbed<T>
  /**
   * Whole bytes of any kind: JSON and text by their contents, anything else byte by byte. What holds no
   * secret is given back as it came.
   */
  bytes(bytes: Uint8Array, side: Side, place?: string): ScrubbedBytes
  /**
   * `sent` unless said otherwise; of an answer's headers only cookies and authorizations go by their name.
   */
  header(name: string, value: string, side?: Side): ScrubbedText
  url(url: string, side?: Side): ScrubbedText
  env(name: string, value: string): ScrubbedText
  /**
   * For bytes that come in chunks: a secret split at any offset is found, and no more is held back than that
   * needs.
   */
  stream(side: Side): StreamScrubber
  /** The same for a protocol that counts its bytes: a secret becomes a mask of equal length. */
  maskedStream(side: Side): StreamScrubber
  /** The body of a request or an answer: knows content types and encodings. */
  body(head: BodyHead, side: Side): BodyScrubber
  /** A command line: the value after `--api-key` goes, whatever it looks like. */
  argv(args: readonly string[]): readonly ScrubbedText[]
  /**
   * Where secrets stand, for whoever has to mask them in another way than by a placeholder. With `final`
   * false more text may follow, and nothing from `certain` on is decided.
   */
  find(text: string, side: Side, final: boolean): FoundSpans
  /**
   * False if `find` could find nothing that begins and ends within these bytes: much cheaper than asking it.
   */
  mayHold(bytes: Uint8Array, side: Side): boolean
  /**
   * For content that goes on, a file that is appended to in pieces: how many bytes at its end may be the
   * beginning of a secret, and how many of these are so much of one that they must not be written.
   */
  unfinished(bytes: Uint8Array, side: Side): { readonly held: number; readonly masked: number }
  /** Counts in the report a secret that was masked elsewhere. */
  note(kind: string, secret: string, place: string): void
  /** Makes a value known as a secret from here on, also in its base64, URL-encoded and JSON-escaped forms. */
  learn(kind: string, secret: string): void
  /** Makes a value known whose place is taken by `substitute`, a value of the same length that is no secret. */
  learnAs(secret: string, substitute: string): void
  /** Whether the input of a keyed operation contains a secret, or the placeholder of one. */
  holdsSecret(bytes: Uint8Array): boolean
  /**
   * Keeps the numbers of the placeholders in text that was scrubbed before. A replay calls it for what comes
   * from the tape, so that the next secret of a kind gets the number that it had in the recording.
   */
  reserve(scrubbed: string): void
  /** Every value that is known as a secret by now, oldest first. For a child that is recorded too. */
  secrets(): readonly { readonly kind: string; readonly value: string }[]
  /** How many values are known as secrets by now. */
  readonly known: number
  report(): ScrubReport
}

export type FoundSpans = {
  /** In order, apart from each other. */
  readonly spans: readonly { readonly start: number; readonly end: number; readonly kind: string }[]
  readonly certain: number
}

export type StreamScrubber = {
  /** How many bytes are held back. */
  readonly held: number
  /** The bytes that are certain by now; the rest comes with a later chunk, or with `end`. */
  push(chunk: Uint8Array): ScrubbedBytes
  end(): ScrubbedBytes
}

export type BodyHead = {
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
  /**
   * The most that a compressed body may unpack to; 256 MiB unless said otherwise. Beyond it the body is not
   * written at all.
   */
  readonly mostBytes?: number
}

export type BodyScrubber = {
  /** True if everything comes with `end`. */
  readonly isHeld: boolean
  /** How many bytes are held back. */
  readonly held: number
  push(chunk: Uint8Array): ScrubbedBytes
  end(): BodyEnd
}

export type BodyEnd = {
  /** What had not been given out yet; of a held body in which nothing was found, the chunks as they came. */
  readonly chunks: readonly ScrubbedBytes[]
  /** The body came encoded, held a secret, and is now decoded: encode it again before it is handed out. */
  readonly decoded: boolean
  readonly scrubbed: number
}

export type ScrubReport = {
  readonly total: number
  readonly rules: readonly {
    readonly rule: string
    readonly placeholder: string
    readonly count: number
    readonly places: readonly string[]
  }[]
}
