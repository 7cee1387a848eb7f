/**
 * Session ids: one folder name each. Upstream joins the id to the root unchecked, so `../x` leaves it; here
 * an id that is not a plain name is refused before anything is touched.
 *
 * Where no id is given, the active session (`withSession`) gives it, else a fresh UUIDv7.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { utf8 } from '../base/index.ts'
import { RepriseError } from '../errors/index.ts'
import { now, realRandomBytes } from '../real/index.ts'
import { isReservedName } from './keys.ts'

export const MAX_SESSION_BYTES = 200

const FORBIDDEN =
  /[/\\\u0000-\u001f\u007f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
const active = new AsyncLocalStorage<string>()

/** Runs `work` with this session as the one that `initState` takes when it is given none. */
export function withSession<T>(sessionId: string, work: () => T): T {
  return active.run(checkSessionId(sessionId), work)
}

export function activeSession(): string | undefined {
  return active.getStore()
}

export function chooseSessionId(option: string | undefined): string {
  if (option !== undefined && option.trim() !== '') return checkSessionId(option)
  return active.getStore() ?? freshId()
}

export function freshId(): string {
  return uuidV7(now(), realRandomBytes(10))
}

export function checkSessionId(sessionId: string): string {
  const problem = problemOf(sessionId)
  if (problem === null) return sessionId
  throw new RepriseError('state-session-invalid', `agent_state: session id '${sessionId}' ${problem}`, {
    details: { sessionId },
    hint: 'a session id is one plain name, such as review-42',
  })
}

function problemOf(id: string): string | null {
  if (typeof id !== 'string' || id.trim() === '') return 'must not be blank'
  if (id !== id.trim()) return 'must not begin or end with white space'
  if (id === '.' || id === '..' || FORBIDDEN.test(id))
    return 'must be one plain name, without separators or control characters'
  if (/^[A-Za-z]:/.test(id)) return 'must not begin with a drive letter'
  if (isReservedName(id)) return 'uses a reserved internal name'
  return utf8(id).byteLength > MAX_SESSION_BYTES ? `is longer than ${MAX_SESSION_BYTES} bytes` : null
}

/** A UUIDv7 (RFC 9562) from a time and ten random bytes, given in. */
export function uuidV7(epochMs: number, random: Uint8Array): string {
  const bytes = new Uint8Array(16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.trunc(epochMs)) << 16n)
  bytes.set(random.subarray(0, 10), 6)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
