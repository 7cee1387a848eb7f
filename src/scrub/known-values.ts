/**
 * Exact values: those of secret environment variables, and those that the scrubber has learned. Each is
 * searched for in every spelling (JSON-escaped, URL-encoded, at any depth). Views of the text decode base64
 * and UTF-16. Values beyond ASCII have needles in base64, because a view contains only ASCII.
 */
import { utf8 } from '../base/index.ts'
import { SHORTEST_STRETCH } from './base64-alphabet.ts'
import { base64Forms } from './base64-forms.ts'
import { isCommonWord } from './common-words.ts'
import { Input } from './input.ts'
import { KnownIndex, type KnownValue, knownAt } from './known-index.ts'
import { LONGEST_OPENING, LONGEST_SPELLING } from './known-openings.ts'
import { variantsOf } from './known-variants.ts'
import { holdsPlaceholder } from './placeholder.ts'
import { privateKeyForms } from './private-key-bytes.ts'
import { RANK, type Rule } from './rule.ts'
import { spelledProbes } from './spelled-probes.ts'
import { beginnings, letterCount, openingOf, type Spelled, spelled, spelledEnd } from './spelling.ts'

/** Shorter values are replaced at their own field only: in running text they would match by chance. */
const SHORTEST_KNOWN = 8

export function isSearchable(value: string): boolean {
  if (utf8(value).byteLength < SHORTEST_KNOWN || holdsPlaceholder(value)) return false
  return !isCommonWord(value)
}

/**
 * A password found in a password field: search for it elsewhere if it mixes kinds of characters, as no word
 * does.
 */
export function isPasswordLike(secret: string): boolean {
  if (secret.length > 256 || /\s/.test(secret) || !isSearchable(secret)) return false
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((sort) => sort.test(secret)).length >= 2
}

/**
 * Worth searching for elsewhere: long, and letters mixed with digits. A guess by name must not make an
 * ordinary word a secret.
 */
export function isTokenLike(secret: string): boolean {
  return (
    secret.length >= 16 &&
    secret.length <= 8192 &&
    !/\s/.test(secret) &&
    /\d/.test(secret) &&
    /[A-Za-z]/.test(secret) &&
    isSearchable(secret)
  )
}

/** From this number on, values go to the index: a few are cheaper as probes of the rules. */
const MOST_PROBES = 256
const PROBE = 4
/**
 * Shorter values get needles in base64. A longer value always contains enough whole groups for a view,
 * whatever its neighbours are.
 */
const SHORTEST_VIEWED = SHORTEST_STRETCH * 0.75 + 2

export class KnownValues {
  readonly index = new KnownIndex()
  readonly #placeholders = new Map<string, string>()
  readonly #kinds = new Map<string, string>()
  /** Derived texts of a value: searched for, but not counted as values. */
  readonly #variants = new Set<string>()
  readonly #add: (probe: string, rule: Rule) => void
  readonly #changed: (value: string) => void
  #probes = 0

  constructor(add: (probe: string, rule: Rule) => void, changed: (value: string) => void) {
    this.#add = add
    this.#changed = changed
  }

  /** The placeholder of this exact value. */
  placeholderOf(value: string): string | undefined {
    return this.#placeholders.get(value)
  }

  get size(): number {
    return this.#placeholders.size
  }

  list(): { readonly kind: string; readonly value: string }[] {
    return [...this.#kinds].map(([value, kind]) => ({ kind, value }))
  }

  /** Programs trim what they read: a value counts with and without surrounding blanks and line breaks. */
  learn(kind: string, value: string, placeholder: string): void {
    for (const text of new Set([value, value.trim()])) {
      if (this.#placeholders.has(text) || !isSearchable(text)) continue
      this.#placeholders.set(text, placeholder)
      this.#kinds.set(text, kind)
      this.#changed(text)
      this.#search({ ...spelled(text), kind, placeholder, seen: { input: 0, end: 0 } })
    }
    for (const text of variantsOf(value)) this.#learnVariant(kind, text, placeholder)
    this.learnKey(kind, value, placeholder)
  }

  /** Searches for the bytes of private keys that the text contains, not for the text itself. */
  learnKey(kind: string, text: string, placeholder: string): void {
    for (const { texts, needles } of privateKeyForms(text)) {
      for (const form of texts) this.#learnVariant(kind, form, placeholder)
      for (const needle of needles) {
        if (this.#variants.has(needle)) continue
        this.#variants.add(needle)
        this.#addNeedle({ kind, placeholder }, needle)
      }
    }
  }

  #learnVariant(kind: string, text: string, placeholder: string): void {
    if (this.#placeholders.has(text) || this.#variants.has(text) || !isSearchable(text)) return
    this.#variants.add(text)
    this.#changed(text)
    this.#search({ ...spelled(text), kind, placeholder, seen: { input: 0, end: 0 } })
  }

  #search(known: KnownValue): void {
    const bytes = Buffer.from(utf8(known.value))
    if (bytes.some((byte) => byte > 127))
      for (const form of [
        ...base64FormsTwice(bytes),
        ...latin1Forms(known.value),
        ...utf16Forms(known.value),
      ])
        this.#addNeedle(known, form)
    else if (bytes.length < SHORTEST_VIEWED)
      for (const form of new Set(base64Forms(bytes))) this.#addNeedle(known, form)
    if (this.#probes >= MOST_PROBES && this.index.add(known)) return
    this.#probes += 1
    const { letter, probes } = spelledProbes(known, PROBE)
    if (letter < 0) for (const form of formsOf(known.value)) this.#addNeedle(known, form)
    for (const probe of probes) this.#addSpelled(known, letter, probe)
  }

  #addNeedle({ kind, placeholder }: Pick<KnownValue, 'kind' | 'placeholder'>, needle: string): void {
    if (needle.length >= SHORTEST_KNOWN)
      this.#add(needle.slice(0, PROBE), needleRule(kind, needle, placeholder))
  }

  #addSpelled(known: KnownValue, letter: number, probe: string): void {
    const opening = openingOf(known, letter + PROBE)
    this.#add(probe, {
      name: known.kind,
      rank: RANK.known,
      probes: () => [probe],
      ...(letter === 0 ? {} : { opening: openingIn(opening) }),
      check: (input, at) => knownAt(input, at, known, letter),
    })
  }
}

/** Returns the offset at which a text ends with the beginning of a value; its length if it does not. */
export function openingIn(opening: Spelled): (text: string) => number {
  const longest = Math.min(letterCount(opening) * LONGEST_SPELLING, LONGEST_OPENING)
  const mayBegin = beginnings(opening)
  return (text) => {
    const input = new Input(text, false)
    // Runs for every chunk of every stream: at most offsets one comparison must do.
    for (let at = Math.max(0, text.length - longest); at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code < mayBegin.length && mayBegin[code] === 0) continue
      if (spelledEnd(input, at, opening, 0) >= 0 || input.touchedEnd) return at
    }
    return text.length
  }
}

function needleRule(kind: string, needle: string, placeholder: string): Rule {
  return {
    name: kind,
    rank: RANK.known,
    mayHoldSlash: true,
    probes: () => [needle.slice(0, PROBE)],
    check: (input, at) =>
      input.startsWith(needle, at)
        ? { start: at, end: at + needle.length, kind, rank: RANK.known, placeholder }
        : null,
  }
}

/**
 * The spellings of a value without four plain characters in a row: only the whole value can serve as a probe.
 */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(utf8(value))
  const escaped = JSON.stringify(value).slice(1, -1)
  const encoded = /\p{Surrogate}/u.test(value) ? '' : encodeURIComponent(value)
  const forms = [
    value,
    bytes.toString('latin1'),
    ...nestedEscapes(escaped).flatMap((form) => [form, latin1(form)]),
    escaped.replaceAll('/', '\\/'),
    asciiEscaped(escaped),
    upperEscapes(asciiEscaped(escaped)),
    [...bytes.toString('latin1')].join('\0'),
    encoded,
    encoded === value ? '' : encodeURIComponent(encoded),
    encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    new URLSearchParams([['', value]]).toString().slice(1),
    value.replaceAll('+', ' '),
  ]
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_KNOWN)
}

/** JSON strings in JSON, six levels deep. */
function nestedEscapes(escaped: string): readonly string[] {
  const forms = [escaped]
  for (let level = 1; level < 6; level += 1) forms.push(JSON.stringify(forms[level - 1]).slice(1, -1))
  return forms
}

function base64FormsTwice(bytes: Buffer): readonly string[] {
  const once = base64Forms(bytes)
  return [...new Set([...once, ...once.flatMap((form) => base64Forms(Buffer.from(form)))])]
}

/** `btoa` and older programs encode each character as one byte. */
function latin1Forms(value: string): readonly string[] {
  if (/[^\0-\u00ff]/.test(value)) return []
  const bytes = Buffer.from(value, 'latin1')
  return [...base64FormsTwice(bytes), bytes.toString('hex'), bytes.toString('hex').toUpperCase()]
}

/** The view of UTF-16 has Latin-1 only: a value with other letters is compared by its bytes. */
function utf16Forms(value: string): readonly string[] {
  if (!/[^\0-\u00ff]/.test(value)) return []
  const bytes = Buffer.from(value, 'utf16le')
  return [bytes.toString('latin1'), Buffer.from(bytes).swap16().toString('latin1')]
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function asciiEscaped(escaped: string): string {
  return escaped.replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function upperEscapes(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}/g, (found) => `\\u${found.slice(2).toUpperCase()}`)
}
