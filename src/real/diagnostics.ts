/** Channels of `node:diagnostics_channel`, and the function that publishes on those that have subscribers. */
import { type Channel, channel, subscribe, unsubscribe } from 'node:diagnostics_channel'

export type { Channel }

export const channelNamed: (name: string) => Channel = (name) => channel(name)

/** A channel gets this prototype when somebody subscribes to it. */
export function activeChannelPrototype(): object {
  const name = 'reprise:probe'
  const listener = (): void => undefined
  subscribe(name, listener)
  const prototype: object = Object.getPrototypeOf(channel(name))
  unsubscribe(name, listener)
  return prototype
}
