/**
 * The scrubber interface that every writer uses. One scrubber serves one run: it remembers the secrets that
 * it has found, so that the second distinct secret of a kind is `<redacted:KIND#2>` wherever it occurs again.
 */
import type { Scrubbed, ScrubbedBytes, ScrubbedText } from './scrubbed.ts'

/**
 * `sent`: what the program or its user wrote (requests, headers, URLs, environment, command lines): every
 * rule applies. `received`: what the program reads and acts on (responses, files, child output, stdin): only
 * exact known values and anchored key shapes, so that a replay returns to the program what it received, apart
 * from real secrets.
 */
export type Side = 'sent' | 'received'

export type Scrubber = {
  /** The number of secrets replaced so far; a record's `scrubbed: n` is the difference before and after. */
  readonly hits: number
  /** Changes when the scrubber learns a value: an earlier result may be incomplete by then. */
  readonly version: number
  /** `place` goes into the report; without it, the offset does. */
  text(text: string, side: Side, place?: string): ScrubbedText
  /**
   * JSON text, edited span by span: white space, key order and the spelling of numbers stay. Text that is not
   * JSON is scrubbed as text.
   */
  jsonText(text: string, side: Side, place?: string): ScrubbedText
  /** Every string and byte array in a plain value, with the field-name rules. */
  value<T>(value: T, side: Side, place?: string): Scrubbed<T>
  /**
   * Whole bytes of any kind: JSON and text by their content, anything else byte by byte. Bytes without a
   * secret are returned unchanged.
   */
  bytes(bytes: Uint8Array, side: Side, place?: string): ScrubbedBytes
  /** `sent` by default. In response headers, only cookies and authorizations are replaced by name. */
  header(name: string, value: string, side?: Side): ScrubbedText
  url(url: string, side?: Side): ScrubbedText
  env(name: string, value: string): ScrubbedText
  /**
   * For bytes that arrive in chunks: a secret split at any offset is found, and no more is held back than
   * needed for that.
   */
  stream(side: Side): StreamScrubber
  /** The same for a protocol that counts its bytes: a secret is replaced by a mask of equal length. */
  maskedStream(side: Side): StreamScrubber
  /** The body of a request or a response: handles content types and encodings. */
  body(head: BodyHead, side: Side): BodyScrubber
  /** A command line: the value after `--api-key` is replaced, whatever its form. */
  argv(args: readonly string[]): readonly ScrubbedText[]
  /**
   * The positions of secrets, for callers that mask them without a placeholder. With `final` false more text
   * may follow, and nothing from `certain` on is decided.
   */
  find(text: string, side: Side, final: boolean): FoundSpans
  /**
   * False if `find` cannot find anything that begins and ends within these bytes. Much cheaper than `find`.
   */
  mayHold(bytes: Uint8Array, side: Side): boolean
  /**
   * For content that may continue, such as a file that is appended to in pieces: how many bytes at its end
   * may be the beginning of a secret, and how many of these must not be written because they show too much of
   * one.
   */
  unfinished(bytes: Uint8Array, side: Side): { readonly held: number; readonly masked: number }
  /** Counts in the report a secret that was masked elsewhere. */
  note(kind: string, secret: string, place: string): void
  /** Adds a value as a known secret, also in its base64, URL-encoded and JSON-escaped forms. */
  learn(kind: string, secret: string): void
  /** Adds a known value that is replaced by `substitute`, a value of the same length that is no secret. */
  learnAs(secret: string, substitute: string): void
  /** Whether the input of a keyed operation contains a secret, or the placeholder of one. */
  holdsSecret(bytes: Uint8Array): boolean
  /**
   * Reserves the numbers of the placeholders in text that was scrubbed before. A replay calls it for text
   * from the tape, so that the next secret of a kind gets the number that it had in the recording.
   */
  reserve(scrubbed: string): void
  /**
   * Runs `body`, which scrubs an answer of the program's own server. Secrets that are found there first (cookies,
   * tokens) are issued by the program: a replay has them too, so `holdsSecret` does not count them.
   */
  issue<T>(body: () => T): T
  /**
   * Runs `body`, which scrubs the headers of a request to the program's own server. A plain cookie (`theme=dark`) that
   * the program has issued stays: its answer has it on the tape, and a replay must give it back.
   */
  asked<T>(body: () => T): T
  /**
   * Text from a tape, with the secrets that this run has sent in place of their placeholders. Only for the
   * program: it is not scrubbed.
   */
  restored(text: string): string
  /** Every known secret so far, oldest first. For a child that is recorded too. */
  secrets(): readonly { readonly kind: string; readonly value: string }[]
  /** The number of known secrets so far. */
  readonly known: number
  report(): ScrubReport
}

export type FoundSpans = {
  /** In order, without overlaps. */
  readonly spans: readonly { readonly start: number; readonly end: number; readonly kind: string }[]
  readonly certain: number
}

export type StreamScrubber = {
  /** How many bytes are held back. */
  readonly held: number
  /**
   * The bytes that are certain now; the rest comes with a later chunk, or with `end`. `isClear`: `mayHold` has
   * just returned false for this chunk and this side, so its inside is not searched again.
   */
  push(chunk: Uint8Array, isClear?: boolean): ScrubbedBytes
  end(): ScrubbedBytes
}

export type BodyHead = {
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
  /**
   * The maximum decoded size of a compressed body; 256 MiB by default. A larger body is not written at all.
   */
  readonly mostBytes?: number
  /** The body is too large to hold: it passes as a stream, whatever its type. */
  readonly isLarge?: true
  /**
   * A client sends it to a server of the program. JSON and forms are held until their end, up to 4 MiB:
   * passwords and tokens are known by the names of their fields.
   */
  readonly isAsked?: true
  /** The caller never changes the chunks later, so they are not copied. */
  readonly isOwned?: true
  /** What `push` returns is used before the chunk changes, so it may be the chunk itself. */
  readonly isUsedAtOnce?: true
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
  /** The bytes that were not returned yet; for a held body without a secret, the original chunks. */
  readonly chunks: readonly ScrubbedBytes[]
  /**
   * The body was encoded and contained a secret, and is decoded now: encode it again before you deliver it.
   */
  readonly decoded: boolean
  readonly scrubbed: number
  /** A secret was found too late in a large compressed body: the bytes after it are not among the chunks. */
  readonly withheld?: true
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
