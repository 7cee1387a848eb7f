/**
 * Throws for a target that Node itself rejects (a port above 65535, a local address that is no address), before a
 * connection is recorded: such a call throws in a replay too.
 */
import { isIp, rejectedByConnect } from '../../real/sockets.ts'

type Options = Readonly<Record<string, unknown>>

export function throwIfRefused(options: Options): void {
  if (!isPlain(options)) rejectedByConnect(options)
}

/** Whether Node surely accepts it. */
function isPlain({ port, path, localAddress, localPort }: Options): boolean {
  if (path) return typeof path === 'string'
  const isLocal = localPort === undefined && (localAddress === undefined || isAddress(localAddress))
  return isLocal && isPort(port)
}

function isPort(value: unknown): boolean {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65_535
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && isIp(value)
}
