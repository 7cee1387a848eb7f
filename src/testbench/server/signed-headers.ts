/**
 * Signatures in the headers of a request to a server of the program, as webhooks have them. On the tape their headers
 * are placeholders. If the program verifies one with a secret, the digest that it computes is recorded as other bytes
 * of the same length, and the request that a replay gives it has those bytes, too: the signature is right again.
 *
 * Decision 0530.
 */
import type { HeaderList } from '../../boundaries/session.ts'
import type { Scrubbed } from '../../scrub/index.ts'
import type { HeaderPairs } from '../../tape/index.ts'
import type { SessionSecrets } from '../session/derived-secrets.ts'
import type { Tools } from '../session/family.ts'

const SIGNATURE = /signature|hmac/i
const HEX = /^[0-9a-f]+$/i
const WORD = /[A-Za-z0-9+/_-]{27,128}={0,2}/g
/** SHA-1, SHA-224, SHA-256, SHA-384, SHA-512. */
const DIGEST_BYTES: ReadonlySet<number> = new Set([20, 28, 32, 48, 64])
const LONGEST_VALUE = 2048

/** Null if no header has a signature. */
export function signedHeaders(
  headers: HeaderList,
  { scrubber, derived }: Pick<Tools, 'scrubber' | 'derived'>,
): Scrubbed<HeaderPairs> | null {
  if (!headers.some(([name]) => SIGNATURE.test(name))) return null
  const signed = headers.flatMap(([name, value]) => {
    if (!SIGNATURE.test(name) || value.length > LONGEST_VALUE) return []
    const text = value.replace(WORD, (word) => substituteOf(word, derived()))
    return text === value ? [] : [[scrubber.text(name, 'sent'), scrubber.text(text, 'received')] as const]
  })
  return signed.length === 0 ? null : signed
}

/** The word with other bytes, in its own encoding; the word itself if it is no digest. */
function substituteOf(word: string, derived: SessionSecrets): string {
  const encoding = encodingOf(word)
  const digest = Buffer.from(word, encoding)
  if (!DIGEST_BYTES.has(digest.byteLength)) return word
  const other = Buffer.from(derived.substitute(digest))
  const text = other.toString(encoding === 'hex' ? 'hex' : encoding)
  if (encoding === 'hex' && word === word.toUpperCase()) return text.toUpperCase()
  return word.endsWith('=') ? text : text.replace(/=+$/, '')
}

function encodingOf(word: string): 'hex' | 'base64' | 'base64url' {
  if (HEX.test(word) && word.length % 2 === 0) return 'hex'
  return /[-_]/.test(word) ? 'base64url' : 'base64'
}
