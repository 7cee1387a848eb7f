/**
 * Values that the program computes from secrets. A recording returns the real value to the program, and
 * writes random bytes of the same length instead, here and wherever the value occurs again in hex or base64.
 * A replay returns those bytes to the program: its comparison with the server's answer has the same result.
 *
 * Decision 0323.
 */
import { type HeaderList, utf8 } from '../../base/index.ts'
import type { DerivedSecrets, Session } from '../../boundaries/session.ts'
import { realRandomBytes } from '../../real/random.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { RecentBytes } from '../../scrub/recent-bytes.ts'

export function derivedSecrets(
  readRandom: Session['readRandom'],
  scrubber: Pick<Scrubber, 'learnAs' | 'holdsSecret' | 'find'>,
): SessionSecrets {
  /** Values of the program, and their replacements on the tape. */
  const made = new Map<string, Uint8Array>()
  const received = new RecentBytes(MOST_RECEIVED)
  /** What was added last, if it was a list of headers. */
  let lastHeaders: HeaderList | null = null

  /** A value that the peer has sent before is on the tape already, and the program compares it with that. */
  const isReceived = (value: Uint8Array): boolean => holdsEncoded(received.text, value)

  /** Of a thousand signatures in base64 one looks like a key somewhere: random bytes contain every short text. */
  const looksLikeKey = (bytes: Uint8Array): boolean =>
    ENCODINGS.some((encoding) => scrubber.find(encoded(bytes, encoding), 'sent', true).spans.length > 0)

  /** `mixed`: with the bytes that are kept. */
  const drawn = (length: number, mixed: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): Uint8Array =>
    drawPlain(() => mixed(withoutSigns(realRandomBytes(length))), looksLikeKey)

  const substituteFor = (value: Uint8Array, isPart: (at: number) => boolean): Uint8Array => {
    const mixed = (bytes: Uint8Array): Uint8Array =>
      bytes.map((byte, at) => (isPart(at) ? (value[at] ?? byte) : byte))
    const known = made.get(latin1(value))
    if (known !== undefined) return mixed(known)
    return isReceived(value) ? value : drawn(value.byteLength, mixed)
  }

  const learn = (value: Uint8Array, substitute: Uint8Array): void => {
    made.set(latin1(value), substitute)
    // In a replay too, where both are the same: where a known value is, no longer shape is found.
    for (const encoding of ENCODINGS)
      scrubber.learnAs(encoded(value, encoding), encoded(substitute, encoding))
    // Cookies and the ETags of Express have no padding.
    const bare = unpadded(value)
    if (bare !== encoded(value, 'base64url')) scrubber.learnAs(bare, unpadded(substitute))
  }

  return {
    holds: (input) => made.has(latin1(input)) || scrubber.holdsSecret(input),
    make(api, perform, isKept = () => () => false) {
      let real: Uint8Array | null = null
      const substitute = readRandom(api, () => {
        const value = perform()
        real = value
        return substituteFor(value, isKept(value))
      })
      const value = real ?? substitute
      learn(value, substitute)
      return value
    },
    substitute(value) {
      const known = made.get(latin1(value))
      if (known !== undefined) return known
      const substitute = drawn(value.byteLength)
      learn(value, substitute)
      return substitute
    },
    isIn: (bytes, value) => {
      const text = latin1(bytes)
      return holdsEncoded(text, value)
    },
    isReceived,
    received(bytes) {
      lastHeaders = null
      received.add(bytes)
    },
    receivedHeaders(headers) {
      // A client that repeats its headers gives the same list.
      if (headers === lastHeaders) return
      lastHeaders = headers
      received.add(utf8(headers.map(([, value]) => value).join('\n')))
    },
  }
}

/**
 * The first of a few draws in which nothing is found. What looks like a key would be replaced wherever the
 * program writes it, and in a replay under another number. The last draw, if something is found in all of them.
 */
export function drawPlain(draw: () => Uint8Array, finds: (bytes: Uint8Array) => boolean): Uint8Array {
  let bytes = draw()
  for (let again = 1; again < MOST_DRAWS && finds(bytes); again += 1) bytes = draw()
  return bytes
}

const MOST_DRAWS = 8

/** How many of the last received bytes are searched for a value. */
const MOST_RECEIVED = 8192

export type SessionSecrets = DerivedSecrets & {
  /** Bytes for the tape in place of a digest that a client has sent. The program may compute the same digest later. */
  substitute(digest: Uint8Array): Uint8Array
  /** Headers that arrived, as the tape has them. */
  receivedHeaders(headers: HeaderList): void
}

const ENCODINGS = ['hex', 'base64', 'base64url'] as const

function encoded(bytes: Uint8Array, encoding: (typeof ENCODINGS)[number]): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
}

function holdsEncoded(text: string, value: Uint8Array): boolean {
  return [encoded(value, 'hex'), unpadded(value), encoded(value, 'base64url')].some((form) =>
    text.includes(form),
  )
}

function unpadded(bytes: Uint8Array): string {
  return encoded(bytes, 'base64').replace(/=+$/, '')
}

/**
 * Other bytes if their base64 has `+` or `/`: what replaces a value is then the same text in base64 and base64url, as
 * the value itself may be. The last character of a group that is not full is none of the two, so the length stays.
 */
function withoutSigns(bytes: Uint8Array): Uint8Array {
  return Buffer.from(encoded(bytes, 'base64').replaceAll('+', 'p').replaceAll('/', 's'), 'base64')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
