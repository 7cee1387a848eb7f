/**
 * Keys and certificates of a server with TLS. A key is a secret, so a replay has a placeholder instead, which
 * OpenSSL rejects. A replay does no handshake: placeholders are dropped there.
 */
import { label } from '../../base/index.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'

const NETWORK = label('network')
const PLACEHOLDER = '<redacted:'

/** `at` is the position of the options among the arguments. */
export function withoutPlaceholders(at: number): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('network')
      if (session === null || session.isLive(NETWORK) || at >= args.length)
        return Reflect.apply(original, this, args)
      return Reflect.apply(original, this, args.with(at, cleaned(args[at])))
    }
}

function cleaned(options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return options
  return Object.fromEntries(Object.entries(options).filter(([, value]) => !hasPlaceholder(value)))
}

/** A key is text, bytes, a list of these, or a list of objects with them. */
function hasPlaceholder(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(PLACEHOLDER)
  if (value instanceof Uint8Array) return Buffer.from(value).includes(PLACEHOLDER)
  if (Array.isArray(value)) return value.some(hasPlaceholder)
  if (typeof value !== 'object' || value === null) return false
  return ['pem', 'buf', 'passphrase'].some((name) => hasPlaceholder(Reflect.get(value, name)))
}
