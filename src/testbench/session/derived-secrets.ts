/**
 * Values that the program makes out of secrets. A recording gives the program the real one, and writes random
 * bytes of the same length in its place, here and wherever the value comes up again in hex or base64. A replay
 * gives those to the program: what it compares with the server's answer is equal, as it was.
 *
 * Decision 0323.
 */
import type { DerivedSecrets, Session } from '../../boundaries/session.ts'
import { realRandomBytes } from '../../real/random.ts'
import type { Scrubber } from '../../scrub/index.ts'

export function derivedSecrets(
  readRandom: Session['readRandom'],
  scrubber: Pick<Scrubber, 'learnAs' | 'holdsSecret'>,
): DerivedSecrets {
  /** Values that the program has, and what the tape has in their place. */
  const made = new Map<string, Uint8Array>()
  let received = ''

  /** A value that the peer has sent before is on the tape already, and the program compares it with that. */
  const isReceived = (value: Uint8Array): boolean =>
    ENCODINGS.some((encoding) => received.includes(encoded(value, encoding)))

  const substituteFor = (value: Uint8Array): Uint8Array => {
    const known = made.get(latin1(value))
    if (known !== undefined) return known
    return isReceived(value) ? value : realRandomBytes(value.byteLength)
  }

  return {
    holds: (input) => made.has(latin1(input)) || scrubber.holdsSecret(input),
    make(api, perform) {
      let real: Uint8Array | null = null
      const substitute = readRandom(api, () => {
        real = perform()
        return substituteFor(real)
      })
      const value = real ?? substitute
      made.set(latin1(value), substitute)
      if (latin1(value) !== latin1(substitute))
        for (const encoding of ENCODINGS)
          scrubber.learnAs(encoded(value, encoding), encoded(substitute, encoding))
      return value
    },
    isIn: (bytes, value) => {
      const text = latin1(bytes)
      return ENCODINGS.some((encoding) => text.includes(encoded(value, encoding)))
    },
    isReceived,
    received(bytes) {
      received = (received + latin1(bytes)).slice(-MOST_RECEIVED)
    },
  }
}

/** How much of what came last is searched for a value. */
const MOST_RECEIVED = 8192
const ENCODINGS = ['hex', 'base64', 'base64url'] as const

function encoded(bytes: Uint8Array, encoding: (typeof ENCODINGS)[number]): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
