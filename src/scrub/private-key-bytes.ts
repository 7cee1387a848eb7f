/**
 * The secret bytes of a private key that a text contains: as PEM, as base64 of PEM or DER, or as a JWK. A
 * program that converts a key writes the same numbers in another frame: PKCS #8 contains PKCS #1 or SEC 1, and
 * a JWK has each number in base64url. So each number is searched for alone, and the whole key with its frame.
 *
 * Reads no key that is encrypted: such a key, and one of OpenSSH, is searched for as a whole only.
 *
 * Decision 0491.
 */
import { base64Forms } from './base64-forms.ts'

/** What to search for in place of the bytes: `texts` in every spelling, `needles` as they are. */
export type KeyBytesForms = { readonly texts: readonly string[]; readonly needles: readonly string[] }

/** Shorter numbers are found in other bytes by chance. */
const SHORTEST_SECRET = 16
const LONGEST_KEY = 1 << 16
const PEM = /-----BEGIN [A-Z0-9 +]*PRIVATE[ +]KEY-----([^-]{40,}?)-----END/g
/** Base64 of `-----` or of a DER sequence. */
const IN_BASE64 = /^(?:LS0tLS1|M[A-J])[\w+/\s-]{40,}={0,2}\s*$/
const JWK_SECRET = /"(?:d|p|q|dp|dq|qi|k)"\s*:\s*"([\w-]{22,})"/g

export function privateKeyForms(value: string): readonly KeyBytesForms[] {
  if (value.length < 60 || value.length > LONGEST_KEY) return []
  if (value.includes('PRIVATE'))
    return [...value.matchAll(PEM)].flatMap(([, body]) => formsOfBody(body ?? ''))
  if (IN_BASE64.test(value)) return formsInBase64(value)
  if (!value.includes('"kty"')) return []
  return [...value.matchAll(JWK_SECRET)].map(([, text]) => formsOf(Buffer.from(text ?? '', 'base64url')))
}

function formsInBase64(value: string): readonly KeyBytesForms[] {
  const bytes = Buffer.from(value, 'base64')
  if (value.startsWith('M')) return numbersOf(bytes) === null ? [] : formsOfKey(bytes)
  const text = bytes.toString('latin1')
  return [...text.matchAll(PEM)].flatMap(([, body]) => formsOfBody(body ?? ''))
}

/** Line breaks may be escaped, as often in a variable. */
function formsOfBody(body: string): readonly KeyBytesForms[] {
  const lines = body.replace(/\\+[nr]/g, '\n').trim()
  const bytes = Buffer.from(lines, 'base64')
  const texts = [lines, lines.replace(/\r?\n/g, '\r\n')].filter((text) => /\n/.test(text))
  return [{ texts, needles: [] }, ...formsOfKey(bytes)]
}

function formsOfKey(bytes: Buffer): readonly KeyBytesForms[] {
  return [bytes, ...(numbersOf(bytes) ?? [])].map(formsOf)
}

function formsOf(bytes: Buffer): KeyBytesForms {
  if (bytes.length < SHORTEST_SECRET) return { texts: [], needles: [] }
  const hex = bytes.toString('hex')
  const latin1 = bytes.toString('latin1')
  return {
    texts: [bytes.toString('base64'), bytes.toString('base64url'), hex, hex.toUpperCase()],
    needles: [
      latin1,
      // Bytes that a program has as a text of Latin-1, as `atob` returns it.
      Buffer.from(latin1).toString('latin1'),
      ...base64Forms(bytes),
      ...[',', ', '].map((comma) => bytes.join(comma)),
      ...[' ', ':'].map((between) => hex.replace(/..(?=.)/g, `$&${between}`)),
    ],
  }
}

const INTEGER = 2
const OCTETS = 4
const SEQUENCE = 48

type Element = { readonly tag: number; readonly content: Buffer }

/** The secret numbers of a key in DER; null if it is none. */
function numbersOf(der: Buffer): readonly Buffer[] | null {
  const [whole, ...more] = elementsOf(der) ?? []
  if (whole?.tag !== SEQUENCE || more.length > 0) return null
  const parts = elementsOf(whole.content) ?? []
  const tags = parts.map(({ tag }) => tag)
  const inner = parts[2]?.content
  if (startsWith(tags, [INTEGER, SEQUENCE, OCTETS]) && inner !== undefined) return numbersOfPkcs8(inner)
  if (startsWith(tags, [INTEGER, OCTETS])) return secretsOf(parts.slice(1, 2))
  if (!startsWith(tags, Array(6).fill(INTEGER))) return null
  // RSA: version, modulus, exponent, then six secret ones. DSA: the last of six.
  return secretsOf(parts.length < 9 ? parts.slice(5, 6) : parts.slice(3, 9))
}

/** RSA and EC have their own structure inside, DSA an integer, Ed25519 and others bytes. */
function numbersOfPkcs8(inner: Buffer): readonly Buffer[] {
  const numbers = numbersOf(inner)
  if (numbers !== null) return numbers
  const [only] = elementsOf(inner) ?? []
  return secretsOf([only ?? { tag: OCTETS, content: inner }])
}

/** An integer may begin with a zero byte, which a JWK has not. */
function secretsOf(parts: readonly Element[]): readonly Buffer[] {
  return parts
    .map(({ tag, content }) => (tag === INTEGER && content[0] === 0 ? content.subarray(1) : content))
    .filter(({ length }) => length >= SHORTEST_SECRET)
}

function startsWith(tags: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every((tag, at) => tags[at] === tag)
}

/** The elements of DER in these bytes; null if they are not DER to their end. */
function elementsOf(bytes: Buffer): readonly Element[] | null {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, short] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || short === undefined) return null
    const lengthBytes = short > 128 ? short - 128 : 0
    if (short === 128 || lengthBytes > 3 || at + 2 + lengthBytes > bytes.length) return null
    const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes)
    const start = at + 2 + lengthBytes
    if (start + length > bytes.length) return null
    elements.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return elements
}
