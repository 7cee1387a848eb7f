/**
 * URLs: replaces the password before the host, secret parameters in the query and in the fragment, and
 * secrets by their shape anywhere. All other characters stay unchanged. A placeholder is written
 * `%3Credacted:kind%3E`, as a URL parser would write it, whatever its form in the input.
 */

import { applyEdits } from './edit.ts'
import type { FieldSecrets } from './field-secrets.ts'
import { isPlaceholder, plainPlaceholders } from './placeholder.ts'
import type { Side } from './scrubber.ts'

const PLACEHOLDER = /<redacted:[A-Za-z0-9_.:#-]{1,180}>/g

export function scrubUrl(
  url: string,
  side: Side,
  secrets: FieldSecrets,
  text: (text: string) => string,
): string {
  const query = url.search(/[?#]/)
  if (query < 0) return inUrl(text(plainPlaceholders(url)))
  const head = inUrl(text(plainPlaceholders(url.slice(0, query))))
  const done = head + scrubFields(url.slice(query), side, secrets, 'url', true)
  return secrets.acrossFields(done, side, 'url', inUrl)
}

/** `a=1&b=2`, the body of a form. */
export function scrubForm(form: string, side: Side, secrets: FieldSecrets): string {
  const done = scrubFields(form, side, secrets, 'form', false)
  return secrets.acrossFields(done, side, 'form', (text) => text.replace(PLACEHOLDER, encodeURIComponent))
}

/**
 * `a=1&b=2`, also with a leading `?` or `#`: the query of a URL, or a form. Values are checked decoded and
 * written encoded.
 */
function scrubFields(
  params: string,
  side: Side,
  secrets: FieldSecrets,
  place: string,
  isUrl: boolean,
): string {
  let out = ''
  let from = 0
  for (let at = 0; at < params.length; at += 1) {
    if (!isSeparator(params.charCodeAt(at))) continue
    out += scrubParam(params.slice(from, at), side, secrets, place, isUrl) + params.charAt(at)
    from = at + 1
  }
  return out + scrubParam(params.slice(from), side, secrets, place, isUrl)
}

/** `?`, `#`, `&` or `;`. */
function isSeparator(char: number): boolean {
  return char === 0x26 || char === 0x3f || char === 0x3b || char === 0x23
}

function scrubParam(part: string, side: Side, secrets: FieldSecrets, place: string, isUrl: boolean): string {
  const equals = part.indexOf('=')
  if (equals < 0) return scrubParamValue(part, -1, '', side, secrets, place, isUrl)
  const rawName = part.slice(0, equals)
  const name = decoded(rawName, true)
  const value = scrubParamValue(part, equals, name, side, secrets, place, isUrl).slice(equals + 1)
  return `${scrubParamName(rawName, name, side, secrets, place, isUrl)}=${value}`
}

/** A name can be a secret: the map of a program may have secrets as its keys. */
function scrubParamName(
  raw: string,
  name: string,
  side: Side,
  secrets: FieldSecrets,
  place: string,
  isUrl: boolean,
): string {
  const encode = isUrl ? inUrl : encodeURIComponent
  if (isPlaceholder(name)) return encode(name)
  const asWritten = decoded(raw, false)
  for (const text of asWritten === name ? [name] : [asWritten, name]) {
    const done = secrets.text(text, side, `${place} name`)
    if (done === text) continue
    const pieces = done.split(/(<redacted:[A-Za-z0-9_.:#-]{1,180}>)/)
    return pieces
      .map((piece, index) => (index % 2 === 1 ? encode(piece) : encodeURIComponent(piece)))
      .join('')
  }
  return raw
}

function scrubParamValue(
  part: string,
  equals: number,
  name: string,
  side: Side,
  secrets: FieldSecrets,
  place: string,
  isUrl: boolean,
): string {
  const raw = part.slice(equals + 1)
  if (raw === '') return part
  // First read `+` as itself: a key may contain one, and read as a blank it would be cut there. Around a
  // secret it is a blank.
  const asWritten = decoded(raw, false)
  const plusIsPlus = raw.includes('+') && secrets.finds(asWritten, side)
  const value = plusIsPlus ? asWritten : decoded(raw, true)
  const encode = isUrl ? inUrl : encodeURIComponent
  if (isPlaceholder(value)) return part.slice(0, equals + 1) + encode(value)
  const here = `${place} ?${name}`
  const isSecret = side === 'sent' ? secrets.names.isSecretParam(name) : secrets.isSecret(name, side)
  const done =
    isSecret && equals >= 0
      ? applyEdits(value, secrets.fieldEdits(name, value, side, here))
      : secrets.text(value, side, here)
  if (done === value) return part
  // Replace the secret in the decoded value, then encode it again: the original spelling of a part with a
  // secret is not kept.
  const pieces = done.split(/(<redacted:[A-Za-z0-9_.:#-]{1,180}>)/)
  return (
    part.slice(0, equals + 1) +
    pieces
      .map((piece, index) =>
        index % 2 === 1 ? encode(piece) : encodeURIComponent(plusIsPlus ? piece.replaceAll('+', ' ') : piece),
      )
      .join('')
  )
}

function decoded(text: string, plusIsBlank: boolean): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(plusIsBlank ? text.replaceAll('+', ' ') : text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}

function inUrl(text: string): string {
  if (!text.includes('<redacted:') && !text.includes('%3')) return text
  return plainPlaceholders(text).replace(
    /<redacted:([A-Za-z0-9_.:#-]{1,180})>/g,
    (_, inner: string) => `%3Credacted:${inner.replaceAll('#', '%23')}%3E`,
  )
}
