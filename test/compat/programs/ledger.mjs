/**
 * What a client saw, one line per step, printed by the program under test: statuses, headers, the digest of
 * every chunk, errors by name and code.
 */
import { createHash } from 'node:crypto'

export const { BASE, TLS_BASE } = process.env
export const REFUSED = 'http://127.0.0.1:1/'
export const UNKNOWN_HOST = 'http://no-such-host.invalid/'

export const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

export async function step(name, body) {
  try {
    console.log(name, JSON.stringify(await body()))
  } catch (error) {
    console.log(name, 'failed', JSON.stringify(failure(error)))
  }
}

export function failure(error) {
  const { name, message, code, errno, syscall, hostname, port, cause } = error
  return {
    name,
    message,
    code,
    errno,
    syscall,
    hostname,
    port,
    ...(cause instanceof Error ? { cause: failure(cause) } : {}),
  }
}

export async function chunks(stream) {
  const seen = []
  for await (const chunk of stream) seen.push(digest(chunk))
  return seen
}
