/**
 * Replaces what the finder found, until nothing more is found: a placeholder may free the secret beside it,
 * which until then looked like a part of one long word. So scrubbing what has been scrubbed changes nothing.
 */
import type { Finder, Span } from './finder.ts'
import { isPasswordLike, isTokenLike, type KnownValues } from './known-values.ts'
import type { Ordinals } from './placeholder.ts'
import type { ReportBook } from './report.ts'
import type { Side } from './scrubber.ts'

const MOST_PASSES = 8

/** Where in the input this is: a path or a name, or the offset at which the text begins. */
export type Place = string | number

export type Window = { readonly text: string; readonly certain: number; readonly inMedia: boolean }

export class Replacer {
  readonly finder: Finder
  readonly known: KnownValues
  readonly #ordinals: Ordinals
  readonly #book: ReportBook
  /** Every secret that was replaced, also those that are too short to be searched for. */
  readonly replaced = new Set<string>()
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
   * For text that may go on: what is certain is replaced, the rest is left. `certain` counts in the new text.
   * What lies before `from` is only context: it has been given out and never changes.
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
    for (const spelling of spellingsOf(secret)) this.replaced.add(spelling)
    const placeholder =
      span.placeholder ?? this.known.placeholderOf(secret) ?? this.#ordinals.placeholder(span.kind, secret)
    this.#book.note(span.kind, placeholder, place)
    return placeholder
  }
}

/** The longest beginning that a key keeps inside of a longer word, with room. */
const MOST_KEPT = 24
const WORD = /^[\w-]*$/

/**
 * Leaves a secret that follows another one without a break to the next pass. There it follows a placeholder,
 * as it does in a replay: a key inside of a longer word would keep its beginning here, and not there.
 */
function withoutGlued(text: string, spans: readonly Span[]): readonly Span[] {
  let end = Number.NEGATIVE_INFINITY
  return spans.filter((span) => {
    if (span.start - end <= MOST_KEPT && WORD.test(text.slice(end, span.start))) return false
    end = span.end
    return true
  })
}

/** In a URL a password is encoded; elsewhere it stands as it is. */
function spellingsOf(secret: string): readonly string[] {
  try {
    return [...new Set([secret, decodeURIComponent(secret)])]
  } catch {
    // A stray `%`: then it was not encoded.
    return [secret]
  }
}
