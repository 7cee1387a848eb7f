/**
 * Whether the input of a keyed operation (a hash, a signature, a key derivation) contains a secret. While
 * recording, that is a known value or one that was replaced on the tape; while replaying, it is a
 * placeholder.
 *
 * Short passwords count only if they are the whole input: in running text they would match by chance. A secret
 * that the program itself has issued does not count: it has the same one in a replay, and computes with it.
 */
import { holdsPlaceholder } from './placeholder.ts'
import type { Replacer } from './replacer.ts'

/** A longer input is content, not a password or a key. */
const LONGEST_INPUT = 4096
const SHORTEST_PART = 6

export function holdsSecret(bytes: Uint8Array, { finder, replaced, issued }: Replacer): boolean {
  if (bytes.byteLength === 0 || bytes.byteLength > LONGEST_INPUT) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('latin1')
  if (holdsPlaceholder(text) || /%3Credacted/i.test(text)) return true
  if (replaced.has(buffer.toString('utf8'))) return true
  for (const secret of replaced) if (secret.length >= SHORTEST_PART && text.includes(secret)) return true
  if (!finder.mayHold(bytes, 'received')) return false
  const { spans } = finder.find(text, 'received', true)
  return spans.some(({ start, end }) => !issued.has(text.slice(start, end)))
}
