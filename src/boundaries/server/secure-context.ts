/**
 * Keys and certificates of a server with TLS. A key is a secret, so a replay has a placeholder instead, or a text
 * in the form of a key, which OpenSSL rejects. A replay does no handshake: both are dropped there.
 */
import { label } from '../../base/index.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'

const NETWORK = label('network')
const PLACEHOLDER = '<redacted:'
const PRIVATE_KEY = 'PRIVATE KEY-----'

/** `at` is the position of the options among the arguments. */
export function withoutPlaceholders(at: number): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('network')
      if (session === null || session.isLive(NETWORK) || at >= args.length)
        return Reflect.apply(original, this, args)
      return Reflect.apply(original, this, args.with(at, cleaned(session, args[at])))
    }
}

function cleaned(session: Session, options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return options
  return Object.fromEntries(Object.entries(options).filter(([, value]) => !hasPlaceholder(session, value)))
}

/** A key is text, bytes, a list of these, or a list of objects with them. */
function hasPlaceholder(session: Session, value: unknown): boolean {
  if (typeof value === 'string') return isPlaceholder(session, Buffer.from(value))
  if (value instanceof Uint8Array) return isPlaceholder(session, Buffer.from(value))
  if (Array.isArray(value)) return value.some((part) => hasPlaceholder(session, part))
  if (typeof value !== 'object' || value === null) return false
  return ['pem', 'buf', 'passphrase'].some((name) => hasPlaceholder(session, Reflect.get(value, name)))
}

function isPlaceholder(session: Session, bytes: Buffer): boolean {
  return (
    bytes.includes(PLACEHOLDER) || (bytes.includes(PRIVATE_KEY) && session.derived?.holds(bytes) === true)
  )
}
