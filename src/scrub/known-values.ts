/**
 * Exact values: those of secret environment variables, and whatever the scrubber learned. Each is looked for as it is and in the forms in which it
 * travels: base64 (at each of the three alignments, both alphabets) and base64 of that, URL-encoded once or twice, JSON-escaped, UTF-16.
 */
import { utf8 } from '../base/index.ts'
import { isCommonWord } from './common-words.ts'
import { holdsPlaceholder } from './placeholder.ts'
import { type Input, type Match, RANK, type Rule } from './rule.ts'

/** Shorter values are replaced at their own place only: in running text they would hit by chance. */
const SHORTEST_KNOWN = 8

export function isSearchable(value: string): boolean {
  if (utf8(value).byteLength < SHORTEST_KNOWN || holdsPlaceholder(value)) return false
  return !isCommonWord(value)
}

/** A password that was met where passwords stand: worth looking for elsewhere if it mixes sorts of characters, as no word does. */
export function isPasswordLike(secret: string): boolean {
  if (secret.length > 256 || /\s/.test(secret) || !isSearchable(secret)) return false
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((sort) => sort.test(secret)).length >= 2
}

/** Worth looking for elsewhere too: long, and letters mixed with digits. A guess by name must not make a word of the language a secret. */
export function isTokenLike(secret: string): boolean {
  return secret.length >= 16 && secret.length <= 8192 && !/\s/.test(secret) && /\d/.test(secret) && /[A-Za-z]/.test(secret) && isSearchable(secret)
}

export class KnownValues {
  readonly #placeholders = new Map<string, string>()
  readonly #add: (probe: string, rule: Rule) => void

  constructor(add: (probe: string, rule: Rule) => void) {
    this.#add = add
  }

  /** The placeholder under which this exact value is known. */
  placeholderOf(value: string): string | undefined {
    return this.#placeholders.get(value)
  }

  get size(): number {
    return this.#placeholders.size
  }

  learn(kind: string, value: string, placeholder: string): void {
    if (this.#placeholders.has(value)) return
    this.#placeholders.set(value, placeholder)
    for (const needle of formsOf(value)) this.#add(needle.slice(0, 4), needleRule(kind, needle, placeholder))
  }
}

function needleRule(kind: string, needle: string, placeholder: string): Rule {
  return {
    name: kind,
    rank: RANK.known,
    mayHoldSlash: true,
    probes: () => [needle.slice(0, 4)],
    check({ text, final }: Input, at: number): Match | null {
      if (text.startsWith(needle, at)) return { start: at, end: at + needle.length, kind, rank: RANK.known, open: false, placeholder }
      const rest = text.length - at
      if (final || rest >= needle.length || !needle.startsWith(text.slice(at))) return null
      return { start: at, end: at, kind, rank: RANK.known, open: true, placeholder }
    },
  }
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(utf8(value))
  const escaped = JSON.stringify(value).slice(1, -1)
  const encoded = /\p{Surrogate}/u.test(value) ? '' : encodeURIComponent(value)
  const forms = [
    value,
    bytes.toString('latin1'),
    escaped,
    latin1(escaped),
    latin1(JSON.stringify(escaped).slice(1, -1)),
    escaped.replaceAll('/', '\\/'),
    asciiEscaped(escaped),
    upperEscapes(asciiEscaped(escaped)),
    [...bytes.toString('latin1')].join('\0'),
    encoded,
    encoded === value ? '' : encodeURIComponent(encoded),
    encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    new URLSearchParams([['', value]]).toString().slice(1),
    ...base64Forms(bytes),
    ...base64Forms(bytes).flatMap((form) => base64Forms(Buffer.from(form))),
  ]
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_KNOWN)
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function asciiEscaped(escaped: string): string {
  return escaped.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function upperEscapes(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}/g, (found) => `\\u${found.slice(2).toUpperCase()}`)
}

/** What base64 of any text that holds these bytes must contain: the characters that no neighbouring byte has a part in. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const certain = whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.byteLength) * 8) / 6))
    return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
