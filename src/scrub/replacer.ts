/**
 * Replaces what the finder found, until nothing more is found: a placeholder may separate a secret from its
 * neighbour, which until then looked like part of one long word. So scrubbing a scrubbed text changes
 * nothing.
 */
import type { Finder } from './finder.ts'
import { isPasswordLike, isTokenLike, type KnownValues } from './known-values.ts'
import type { Ordinals } from './placeholder.ts'
import type { ReportBook } from './report.ts'
import type { Side } from './scrubber.ts'
import type { Span } from './spans.ts'

const MOST_PASSES = 8

/** Where in the input this text is: a path or a name, or the offset at which it begins. */
export type Place = string | number

export type Window = { readonly text: string; readonly certain: number; readonly inMedia: boolean }

export class Replacer {
  readonly finder: Finder
  readonly known: KnownValues
  readonly #ordinals: Ordinals
  readonly #book: ReportBook
  /** Every secret that was replaced, also those that are too short to search for, apart from issued ones. */
  readonly replaced = new Set<string>()
  /** Secrets that were first replaced in an answer of the program's own server, and their placeholders. */
  readonly issued = new Map<string, string>()
  /** Values with a substitute on the tape that is no secret. */
  readonly substitutes = new Map<string, string>()
  /** Cookies, as `name=value`, that an answer of the program's own server has on the tape as they are. */
  readonly #plainCookies = new Set<string>()
  #isIssuing = false
  #isAsked = false
  readonly #learn: (kind: string, secret: string) => void

  constructor(
    finder: Finder,
    known: KnownValues,
    ordinals: Ordinals,
    book: ReportBook,
    learn: (kind: string, secret: string) => void,
  ) {
    this.finder = finder
    this.known = known
    this.#ordinals = ordinals
    this.#book = book
    this.#learn = learn
  }

  text(text: string, side: Side, place: Place): string {
    return this.finder.isTooShort(text) ? text : this.window(text, side, true, place).text
  }

  /**
   * For text that may continue: replaces what is certain and leaves the rest. `certain` is an offset in the
   * new text. The text before `from` is only context: it has been returned already and never changes.
   */
  window(text: string, side: Side, final: boolean, place: Place, from = 0, inMedia = false): Window {
    let current = text
    for (let pass = 0; ; pass += 1) {
      const found = this.finder.find(current, side, final, inMedia)
      const { certain } = found
      if (found.spans.length === 0) return { text: current, certain, inMedia: found.inMedia }
      const spans = found.spans.flatMap((span) => {
        if (span.end <= from || (!final && span.end > certain)) return []
        return span.start < from ? [{ ...span, start: from }] : [span]
      })
      if (spans.length === 0 || pass === MOST_PASSES)
        return { text: current, certain, inMedia: found.inMedia }
      current = this.replace(current, pass === 0 ? withoutGlued(current, spans) : spans, place)
    }
  }

  replace(text: string, spans: readonly Span[], place: Place): string {
    const parts: string[] = []
    let done = 0
    for (const span of spans) {
      parts.push(
        text.slice(done, span.start),
        this.placeholder(
          span,
          text.slice(span.start, span.end),
          typeof place === 'number' ? `offset ${place + span.start}` : place,
        ),
      )
      done = span.end
    }
    parts.push(text.slice(done))
    return parts.join('')
  }

  placeholder(span: Pick<Span, 'kind' | 'placeholder' | 'learn'>, secret: string, place: string): string {
    if (span.learn === true && isTokenLike(secret)) this.#learn(span.kind, secret)
    if (span.learn === 'password')
      for (const spelling of spellingsOf(secret))
        if (isPasswordLike(spelling)) this.#learn(span.kind, spelling)
    const placeholder =
      span.placeholder ??
      this.known.placeholderOf(secret) ??
      this.issuedAs(secret) ??
      this.#ordinals.placeholder(span.kind, secret)
    for (const spelling of spellingsOf(secret)) this.#note(spelling, placeholder)
    // A program that has the key as text may send its bytes.
    if (span.kind.startsWith('private_key_block')) this.known.learnKey(span.kind, secret, placeholder)
    this.#book.note(span.kind, placeholder, place)
    return placeholder
  }

  /** Secrets that `body` finds first are issued by the program. */
  issue<T>(body: () => T): T {
    const before = this.#isIssuing
    this.#isIssuing = true
    try {
      return body()
    } finally {
      this.#isIssuing = before
    }
  }

  /** In the request that `body` scrubs, plain cookies that the program has issued stay as they are. */
  asked<T>(body: () => T): T {
    this.#isAsked = true
    try {
      return body()
    } finally {
      this.#isAsked = false
    }
  }

  issuePlain(cookie: string): void {
    if (this.#isIssuing && this.#plainCookies.size < MOST_PLAIN_COOKIES) this.#plainCookies.add(cookie)
  }

  isIssuedPlain(cookie: string): boolean {
    return this.#isAsked && this.#plainCookies.has(cookie)
  }

  /**
   * The placeholder under which the program has issued it, whatever the name of its field is now. An answer may have
   * a signature that was replaced by its substitute before.
   */
  issuedAs(secret: string): string | undefined {
    if (this.issued.size === 0) return undefined
    return this.issued.get(secret) ?? this.issued.get(this.#substituted(secret))
  }

  #substituted(secret: string): string {
    return secret
      .split(WORDS)
      .map((word) => this.substitutes.get(word) ?? word)
      .join('')
  }

  #note(secret: string, placeholder: string): void {
    if (this.issued.has(secret)) return
    if (this.#isIssuing && !this.replaced.has(secret)) this.issued.set(secret, placeholder)
    else this.replaced.add(secret)
  }
}

/** The longest prefix that a key keeps inside a longer word, plus a margin. */
const MOST_KEPT = 24
const MOST_PLAIN_COOKIES = 10_000
const WORDS = /([^A-Za-z0-9+/_=-]+)/
const WORD = /^[\w-]*$/

/**
 * Leaves a secret that directly follows another one to the next pass. There it follows a placeholder, as it
 * does in a replay. Otherwise a key inside a longer word would keep its prefix in the recording, but not in
 * the replay.
 */
function withoutGlued(text: string, spans: readonly Span[]): readonly Span[] {
  let end = Number.NEGATIVE_INFINITY
  return spans.filter((span) => {
    if (span.start - end <= MOST_KEPT && WORD.test(text.slice(end, span.start))) return false
    end = span.end
    return true
  })
}

/** In a URL a password is encoded; elsewhere it is not encoded. */
function spellingsOf(secret: string): readonly string[] {
  try {
    return [...new Set([secret, decodeURIComponent(secret)])]
  } catch {
    // A stray `%`: then it was not encoded.
    return [secret]
  }
}
