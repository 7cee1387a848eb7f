/**
 * Placeholders: how they are written, recognised and numbered.
 *
 * `<redacted:KIND>`, `<redacted:env:NAME>`, and `<redacted:KIND#2>` for the second distinct secret of a kind.
 * No part of them is derived from the secret: no hash, no length. Harn's `[redacted]` and
 * `<redacted:pattern:40>` are recognised too and are not changed. (Harn is the agent runtime whose tapes
 * Reprise can read.)
 *
 * Decision 0022.
 */
import { charClass } from './char-class.ts'
import type { Input } from './input.ts'
import { RANK, type Rule } from './rule.ts'
import type { ScrubbedText } from './scrubbed.ts'

const INNER = charClass('a-z', 'A-Z', '0-9', '_.:#-')
const SHORTEST = '[redacted]'.length
const ANY = /<redacted:[A-Za-z0-9_.:#-]{1,180}>/g
const SPELLED = /<redacted:[A-Za-z0-9_.:#-]{1,180}>|%3Credacted(?::|%3A)[A-Za-z0-9_.:%-]{1,180}?%3E/gi
const WHOLE = /^(?:<redacted:[A-Za-z0-9_.:#-]{1,180}>|\[redacted\])$/
const NUMBERED = /^<redacted:(.+?)(?:#([1-9]\d{0,8}))?>$/

function placeholderFor(kind: string, ordinal: number): string {
  return ordinal === 1 ? `<redacted:${kind}>` : `<redacted:${kind}#${ordinal}>`
}

/** The characters of a kind: a placeholder never needs an escape in JSON, in a header or in a terminal. */
export function kindName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 100) || 'secret'
}

export const KIND_CHARACTERS = /^[A-Za-z0-9_.-]{1,64}$/

export function isPlaceholder(text: string): boolean {
  return text.length >= SHORTEST && WHOLE.test(text)
}

export function holdsPlaceholder(text: string): boolean {
  return text.includes('<redacted:') || text.includes('[redacted]')
}

/**
 * For match keys: Harn's placeholders contain the length of the secret, and another key may have another
 * length.
 */
export function normalisePlaceholders(text: ScrubbedText): ScrubbedText
export function normalisePlaceholders(text: string): string
export function normalisePlaceholders(text: string): string {
  if (!text.includes('%3') && !text.includes('<redacted:')) return text
  return plainPlaceholders(text).replace(/<redacted:([A-Za-z0-9_.-]{1,180}):\d{1,9}>/g, '<redacted:$1>')
}

/** Decodes a placeholder that was encoded for a URL. */
export function plainPlaceholders(text: string): string {
  if (!text.includes('%3') || !/%3Credacted/i.test(text)) return text
  return text.replace(
    /%3Credacted(?::|%3A)([A-Za-z0-9_.:%-]{1,180}?)%3E/gi,
    (_, inner: string) => `<redacted:${decodeInner(inner)}>`,
  )
}

function decodeInner(inner: string): string {
  return inner.replace(/%3A/gi, ':').replace(/%23/g, '#')
}

/**
 * A rule like any other, so that the same pass finds placeholders too. A match is kept, and nothing is
 * replaced inside it.
 */
export function placeholderRule(seen: (placeholder: string) => void): Rule {
  return {
    name: 'placeholder',
    rank: RANK.keep,
    probes: () => ['<red', '[red'],
    check(input, at) {
      const end = input.startsWith('[redacted]', at) ? at + 10 : placeholderEnd(input, at)
      if (end < 0) return null
      seen(input.text.slice(at, end))
      return { start: at, end, kind: 'placeholder', rank: RANK.keep }
    },
  }
}

function placeholderEnd(input: Input, at: number): number {
  if (!input.startsWith('<redacted:', at)) return -1
  const close = input.runEnd(INNER, at + 10, 180)
  return close > at + 10 && input.char(close) === '>' ? close + 1 : -1
}

/**
 * Numbers the distinct secrets of each kind, in the order in which they are first found. A placeholder that
 * is already in a text reserves its number.
 */
export class Ordinals {
  readonly #bySecret = new Map<string, string>()
  readonly #byPlaceholder = new Map<string, string>()
  readonly #byKind = new Map<string, { readonly taken: Set<number>; next: number }>()

  placeholder(kind: string, secret: string): string {
    const key = `${kind}\u0000${secret}`
    const known = this.#bySecret.get(key)
    if (known !== undefined) return known
    const numbers = this.#of(kind)
    while (numbers.taken.has(numbers.next)) numbers.next += 1
    numbers.taken.add(numbers.next)
    const placeholder = placeholderFor(kind, numbers.next)
    this.#bySecret.set(key, placeholder)
    this.#byPlaceholder.set(placeholder, secret)
    return placeholder
  }

  /** The text with the numbered secrets in place of their placeholders, encoded for a URL where these are. */
  restored(text: string): string {
    if (!text.includes('redacted')) return text
    return text.replace(SPELLED, (placeholder) => {
      const secret = this.#byPlaceholder.get(plainPlaceholders(placeholder))
      if (secret === undefined) return placeholder
      return placeholder.startsWith('<') ? secret : encodeURIComponent(secret)
    })
  }

  reserveAll(scrubbed: string): void {
    for (const [placeholder] of scrubbed.matchAll(ANY)) this.reserve(placeholder)
  }

  reserve(placeholder: string): void {
    const parts = NUMBERED.exec(placeholder)
    if (parts?.[1] !== undefined) this.#of(parts[1]).taken.add(Number(parts[2] ?? 1))
  }

  #of(kind: string): { readonly taken: Set<number>; next: number } {
    const numbers = this.#byKind.get(kind) ?? { taken: new Set(), next: 1 }
    this.#byKind.set(kind, numbers)
    return numbers
  }
}
