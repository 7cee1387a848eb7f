/**
 * Which port of this thread a message goes to: the other end of a channel, or every other channel of the same
 * name. Has only ports created in a session.
 */

const peers = new WeakMap<object, object>()
const names = new WeakMap<object, string>()
/** Handles of open broadcast channels, by name, in the order in which they were created. */
const groups = new Map<string, Set<object>>()

export function pairPorts(channel: object): void {
  const { port1, port2 } = channel as { port1: object; port2: object }
  peers.set(port1, port2)
  peers.set(port2, port1)
}

export function joinGroup(channel: object): void {
  const handle = handleOf(channel)
  const name = String(Reflect.get(channel, 'name'))
  if (handle === null || handle === channel) return
  names.set(handle, name)
  const group = groups.get(name) ?? new Set()
  groups.set(name, group.add(handle))
}

/** The port inside a broadcast channel; for a port, the port itself. */
export function handleOf(value: unknown): object | null {
  if (typeof value !== 'object' || value === null) return null
  const symbol = Object.getOwnPropertySymbols(value).find(({ description }) => description === 'kHandle')
  const handle: unknown = symbol === undefined ? value : Reflect.get(value, symbol)
  return typeof handle === 'object' ? handle : null
}

export function isFollowed(value: unknown): value is object {
  return typeof value === 'object' && value !== null && peers.has(value)
}

export function targetsOf(port: object): readonly object[] {
  const peer = peers.get(port)
  if (peer !== undefined) return [peer]
  const name = names.get(port)
  return name === undefined ? [] : [...(groups.get(name) ?? [])].filter((handle) => handle !== port)
}

/**
 * It is closed, or was sent to another thread: its messages can no longer be tracked. Returns the ends that
 * get the close event.
 */
export function closedPort(port: object): readonly object[] {
  const peer = peers.get(port)
  forgetPort(port)
  const name = names.get(port)
  if (name !== undefined) {
    const group = groups.get(name)
    group?.delete(port)
    if (group?.size === 0) groups.delete(name)
    names.delete(port)
    return [port]
  }
  return peer === undefined ? [] : [port, peer]
}

export function forgetPort(port: object): void {
  const peer = peers.get(port)
  peers.delete(port)
  if (peer !== undefined) peers.delete(peer)
}
