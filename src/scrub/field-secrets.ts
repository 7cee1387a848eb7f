/**
 * Decides what to do with a value because of its name: JSON fields, headers, cookies, parameters, environment
 * variables, flags.
 */
import type { Edit } from './edit.ts'
import { isSearchable, isTokenLike } from './known-values.ts'
import { type NameRules, plainName } from './names.ts'
import { isPlaceholder, kindName, plainPlaceholders } from './placeholder.ts'
import type { Replacer } from './replacer.ts'
import { RANK, type Rank } from './rule.ts'
import type { Side } from './scrubber.ts'
import type { Found } from './spans.ts'

/** Words that people write in place of a secret, in a field with a secret name. */
const NO_SECRET = /^(?:|true|false|null|undefined|none|yes|no|on|off|\*+|\d{1,3})$/i
const SCHEME =
  /^(Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256|Bot|OAuth|GoogleLogin|SharedKey|Key)([ \t]+)/i

type Replacing = Pick<
  Replacer,
  'finder' | 'known' | 'text' | 'replace' | 'placeholder' | 'issuedAs' | 'issuePlain' | 'isIssuedPlain'
>

export class FieldSecrets {
  readonly names: NameRules
  readonly #replacer: Replacing
  readonly #learn: (kind: string, secret: string) => void

  constructor(names: NameRules, replacer: Replacing, learn: (kind: string, secret: string) => void) {
    this.names = names
    this.#replacer = replacer
    this.#learn = learn
  }

  isSecret(field: string, side: Side): boolean {
    return side === 'sent' ? this.names.isSecretField(field) : this.names.isReceivedSecretField(field)
  }

  /** A name that is itself the value of a field, next to the field with its value. */
  isSecretName(name: string): boolean {
    return (
      name.length <= 100 &&
      /^[\w.-]+$/.test(name) &&
      (this.names.isSecretVariable(name) || this.names.isSecretField(name))
    )
  }

  isOpaque(field: string): boolean {
    return this.names.isOpaqueField(field)
  }

  /** `"password": 12345678` is a password; `"token": 42` is a count. */
  coversNumbers(field: string): boolean {
    return /(?:password|passwd|pwd|passcode|secret|pin)$/.test(plainName(field))
  }

  text(text: string, side: Side, place: string): string {
    return this.#replacer.text(text, side, place)
  }

  /**
   * For a text of fields that were decoded and searched one by one: a known value with a separator or an escape in it
   * was in none of them. `write` gives placeholders the form that they have in the text.
   */
  acrossFields(text: string, side: Side, place: string, write: (text: string) => string): string {
    if (!this.#replacer.finder.hasFormCharacters) return text
    const plain = plainPlaceholders(text)
    const spans = this.#replacer.finder.knownIn(plain, side)
    return spans.length === 0 ? text : write(this.#replacer.replace(plain, spans, place))
  }

  finds(text: string, side: Side): boolean {
    return this.#replacer.finder.find(text, side, true).spans.length > 0
  }

  textEdits(text: string, side: Side, place: string, least: Rank = RANK.hint): Edit[] {
    const { spans } = this.#replacer.finder.find(text, side, true)
    return spans
      .filter((span) => span.rank <= least)
      .map((span) => ({
        start: span.start,
        end: span.end,
        text: this.#replacer.placeholder(span, text.slice(span.start, span.end), place),
      }))
  }

  /**
   * A value under a secret name is replaced whole, except the scheme of an authorization and the names of
   * cookies.
   */
  fieldEdits(field: string, value: string, side: Side, place: string): Edit[] {
    if (NO_SECRET.test(value) || isPlaceholder(value)) return []
    const plain = plainName(field)
    if (plain.endsWith('cookie') || plain.endsWith('cookies'))
      return this.#cookieEdits(value, plain === 'setcookie', side, place)
    const scheme = plain.endsWith('authorization') ? SCHEME.exec(value) : null
    const start = scheme === null ? 0 : scheme[0].length
    return this.#wholeEdits(kindOf(field, scheme?.[1]), value, start, side, place)
  }

  #wholeEdits(kind: string, value: string, start: number, side: Side, place: string): Edit[] {
    const secret = value.slice(start)
    if (secret === '' || isPlaceholder(secret)) return []
    const { spans } = this.#replacer.finder.find(secret, side, true)
    const only = spans[0]
    const isAll = spans.length === 1 && only !== undefined && only.start === 0 && only.end === secret.length
    // If a part was replaced before this name was checked, the rest is no secret on its own. The placeholder
    // replaces all of it.
    const placeholder = isAll
      ? this.#replacer.placeholder(only, secret, place)
      : this.wholeField(kind, secret, place)
    return [{ start, end: value.length, text: placeholder }]
  }

  wholeField(field: string, secret: string, place: string): string {
    const kind = kindOf(field)
    const placeholder = this.#replacer.issuedAs(secret)
    if (placeholder !== undefined) return this.#replacer.placeholder({ kind, placeholder }, secret, place)
    if (isTokenLike(secret) && this.#replacer.known.placeholderOf(secret) === undefined)
      this.#learn(kind, secret)
    return this.#replacer.placeholder({ kind }, secret, place)
  }

  /** From now on the value is replaced wherever it appears. */
  learnField(field: string, secret: string): void {
    if (this.#replacer.known.placeholderOf(secret) === undefined) this.#learn(kindOf(field), secret)
  }

  #cookieEdits(value: string, isSet: boolean, side: Side, place: string): Edit[] {
    const edits: Edit[] = []
    // A known value may contain `;`, for example escaped for HTML (`&quot;`): replace it whole.
    const { finder } = this.#replacer
    const { spans } = finder.find(value, side, true)
    let at = 0
    let covered = 0
    for (const part of value.split(';')) {
      const equals = part.indexOf('=')
      const name = part.slice(0, Math.max(0, equals)).trim()
      const secret = part.slice(equals + 1).trim()
      const start =
        at + equals + 1 + (part.slice(equals + 1).length - part.slice(equals + 1).trimStart().length)
      const isFirst = at === 0
      at += part.length + 1
      if (secret === '' || isPlaceholder(secret) || (isSet && !isFirst) || (equals < 0 && !isFirst)) continue
      if (start < covered) continue
      const end = start + secret.length
      covered = spans.reduce((far, span) => (span.start < end && span.end > far ? span.end : far), end)
      // A second pass would read the rest of this part as a cookie after a placeholder.
      if (covered > end) covered = cookieEnd(value, covered)
      // The program may print a cookie that a server sets, so its value is searched for everywhere. A plain
      // word (`theme=dark`) is no secret, and the replay must return it.
      const isPlain = /^(?:[A-Za-z]+|\d{1,4})$/.test(secret) && !isSearchable(secret)
      if (isSet && isPlain) this.#replacer.issuePlain(`${name}=${secret}`)
      if (isPlain && (isSet || this.#replacer.isIssuedPlain(`${name}=${secret}`))) continue
      if (isSet) this.#learn('cookie', secret)
      edits.push({
        start,
        end: covered,
        text: this.wholeField('cookie', value.slice(start, covered), `${place} ${name}`.trim()),
      })
    }
    // Also what this header has just made known.
    const mayHoldKnown = spans.length > 0 || (isSet && edits.length > 0)
    return mayHoldKnown ? this.#withKnown(edits, value, finder.knownIn(value, side), place) : edits
  }

  /** Known values may also be in the names and attributes of cookies. */
  #withKnown(edits: Edit[], value: string, known: Found['spans'], place: string): Edit[] {
    const found = known.map((span) => ({
      ...wholeParts(value, span),
      text: this.#replacer.placeholder(span, value.slice(span.start, span.end), place),
    }))
    const merged: Edit[] = []
    // Of edits with the same start that of the cookie comes first: its placeholder is kept.
    for (const edit of [...edits, ...found].sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1)
      if (last === undefined || edit.start > last.end) merged.push(edit)
      else if (edit.end > last.end) merged[merged.length - 1] = { ...last, end: edit.end }
    }
    return merged
  }
}

/** A second pass would read what is left of a name whose `=` is replaced, or of a value, as a cookie of its own. */
function wholeParts(value: string, { start, end }: Place): Place {
  const before = value.slice(value.lastIndexOf(';', start - 1) + 1, start)
  const isInValue = before.includes('=')
  const text = value.slice(start, end)
  if (!text.includes(';') && (isInValue || !text.includes('='))) return { start, end }
  return { start: isInValue ? start : start - before.trimStart().length, end: cookieEnd(value, end) }
}

type Place = { readonly start: number; readonly end: number }

function cookieEnd(value: string, from: number): number {
  const semicolon = value.indexOf(';', from)
  const rest = value.slice(from, semicolon < 0 ? value.length : semicolon)
  return from + rest.trimEnd().length
}

function kindOf(field: string, scheme?: string): string {
  if (scheme !== undefined) {
    const lower = scheme.toLowerCase()
    return lower === 'bearer' ? 'bearer_token' : lower === 'basic' ? 'basic_auth' : 'authorization'
  }
  const snake = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return kindName(snake.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '')) || 'field'
}
