/** Errors of connections and files, by code, as Node makes them. */
import { getSystemErrorMap } from 'node:util'
import type { Json } from '../../base/index.ts'

/** The number and the words of a code; null for a code that is none of the system's. */
function systemError(code: string): { readonly errno: number; readonly words: string } | null {
  for (const [errno, [name, words]] of getSystemErrorMap()) if (name === code) return { errno, words }
  return null
}

export function isSystemCode(code: string): boolean {
  return systemError(code) !== null
}

const BY_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN'])
const CONNECTING = new Set(['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])

/** What a client gets from a connection that fails. */
export function connectionError(code: string, url: string): Json {
  const { hostname, port, protocol } = addressOf(url)
  if (BY_NAME.has(code))
    return plainError(`getaddrinfo ${code} ${hostname}`, code, {
      errno: systemError(code)?.errno ?? -3008,
      syscall: 'getaddrinfo',
      hostname,
    })
  const errno = systemError(code)?.errno
  if (CONNECTING.has(code)) {
    const number = Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port)
    return plainError(`connect ${code} ${hostname}:${number}`, code, {
      ...(errno === undefined ? {} : { errno }),
      syscall: 'connect',
      address: hostname,
      port: number,
    })
  }
  if (errno === undefined) return plainError(code, code, {})
  return plainError(`read ${code}`, code, { errno, syscall: 'read' })
}

/** What a client gets when the server closes the connection in the middle of a body. */
export function cutError(isOfHttpModule: boolean): Json {
  if (isOfHttpModule) return plainError('aborted', 'ECONNRESET', { closed_by_peer: true })
  return {
    constructorName: 'SocketError',
    name: 'SocketError',
    message: 'other side closed',
    code: 'UND_ERR_SOCKET',
    properties: { name: 'SocketError' },
  }
}

/** What a call about a file fails with. `hasPath`: it names a file, rather than an open one. */
export function fileError(code: string, syscall: string, hasPath: boolean): Json {
  const known = systemError(code)
  const order = hasPath ? 'errno code syscall path' : 'errno code syscall'
  return plainError(`${code}: ${known?.words ?? 'unknown error'}`, code, {
    errno: known?.errno ?? -1,
    syscall,
    ...(hasPath ? { path: '#0' } : {}),
    order,
  })
}

function plainError(message: string, code: string, properties: { readonly [name: string]: Json }): Json {
  return { constructorName: 'Error', name: 'Error', message, code, properties }
}

function addressOf(url: string): Pick<URL, 'hostname' | 'port' | 'protocol'> {
  try {
    return new URL(url)
  } catch {
    // A tape may hold anything: the error then has no name of a host.
    return { hostname: '', port: '', protocol: '' }
  }
}
