/**
 * Datagrams in the form of a session: one line with the peer, then the payload. Also the meaning of the
 * arguments of `send`: `(message, [offset, length], [port], [address], [callback])`.
 */
export type Address = { readonly address: string; readonly port: number; readonly family?: string }

type SentDatagram = {
  readonly bytes: Buffer
  readonly port: number | null
  readonly address: string | null
  readonly callback: ((error: Error | null, bytes?: number) => void) | null
}

const LINE_END = 0x0a

/** `peer` is null if the socket is connected: it has one peer. */
export function datagramBytes(peer: Pick<Address, 'address' | 'port'> | null, payload: Uint8Array): Buffer {
  const line = peer === null ? '' : `${peer.address} ${peer.port}`
  return Buffer.concat([Buffer.from(`${line}\n`), payload])
}

export function datagramFrom(bytes: Uint8Array): { readonly peer: Address; readonly bytes: Buffer } {
  const all = Buffer.from(bytes)
  const end = all.indexOf(LINE_END)
  const [address = '', port = '0'] = all.toString('utf8', 0, end).split(' ')
  const family = address.includes(':') ? 'IPv6' : 'IPv4'
  return { peer: { address, family, port: Number(port) }, bytes: all.subarray(end + 1) }
}

/** Null if Node rejects the arguments. */
export function sentDatagram(args: readonly unknown[], isConnected: boolean): SentDatagram | null {
  const [message, ...rest] = args
  const found = rest.find((each) => typeof each === 'function')
  const given = rest.slice(
    0,
    rest.findLastIndex((each) => each !== undefined && typeof each !== 'function') + 1,
  )
  const whole = payloadOf(message)
  // For a connected socket two numbers are a part of the message; for any other, port and address follow
  // them.
  const hasPart = isConnected
    ? typeof given[1] === 'number'
    : given.length > 2 || typeof given[1] === 'number'
  const [port, address] = hasPart ? given.slice(2) : given
  const part = hasPart ? partOf(whole, given[0], given[1]) : whole
  if (part === null) return null
  const callback = typeof found === 'function' ? (found as SentDatagram['callback']) : null
  // Without two numbers, Node does not read what follows the message.
  if (isConnected)
    return hasPart && port !== undefined ? null : { bytes: part, port: null, address: null, callback }
  if (!isPort(port) || (address !== undefined && address !== null && typeof address !== 'string')) return null
  return { bytes: part, port: Number(port), address: address === '' ? null : (address ?? null), callback }
}

function payloadOf(message: unknown): Buffer | null {
  if (typeof message === 'string') return Buffer.from(message)
  if (ArrayBuffer.isView(message)) return Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (!Array.isArray(message)) return null
  const parts = message.map(payloadOf)
  return parts.includes(null) ? null : Buffer.concat(parts.filter((part) => part !== null))
}

function partOf(whole: Buffer | null, offset: unknown, length: unknown): Buffer | null {
  if (whole === null || typeof offset !== 'number' || typeof length !== 'number') return null
  return offset + length > whole.length || offset < 0 || length < 0
    ? null
    : whole.subarray(offset, offset + length)
}

function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= 65_535
}
