/** Channels of `node:diagnostics_channel`, and the function that publishes on those that have subscribers. */
import { type Channel, channel, subscribe, unsubscribe } from 'node:diagnostics_channel'

export type { Channel }

/** Where undici publishes what happens to its requests. */
const REQUEST_CHANNELS = {
  create: 'undici:request:create',
  sendHeaders: 'undici:client:sendHeaders',
  bodySent: 'undici:request:bodySent',
  headers: 'undici:request:headers',
  trailers: 'undici:request:trailers',
  error: 'undici:request:error',
} as const

type RequestChannels = Readonly<Record<keyof typeof REQUEST_CHANNELS, Channel>>

let known: RequestChannels | null = null

export function requestChannels(): RequestChannels {
  known ??= {
    create: channel(REQUEST_CHANNELS.create),
    sendHeaders: channel(REQUEST_CHANNELS.sendHeaders),
    bodySent: channel(REQUEST_CHANNELS.bodySent),
    headers: channel(REQUEST_CHANNELS.headers),
    trailers: channel(REQUEST_CHANNELS.trailers),
    error: channel(REQUEST_CHANNELS.error),
  }
  return known
}

/** Whether somebody listens to what undici publishes about requests. */
export function areRequestsObserved(): boolean {
  const { create, sendHeaders, bodySent, headers, trailers, error } = requestChannels()
  // Written out: every request asks, and a list of the channels would be made each time.
  return (
    create.hasSubscribers ||
    sendHeaders.hasSubscribers ||
    bodySent.hasSubscribers ||
    headers.hasSubscribers ||
    trailers.hasSubscribers ||
    error.hasSubscribers
  )
}

/** A channel gets this prototype when somebody subscribes to it. */
export function activeChannelPrototype(): object {
  const name = 'reprise:probe'
  const listener = (): void => undefined
  subscribe(name, listener)
  const prototype: object = Object.getPrototypeOf(channel(name))
  unsubscribe(name, listener)
  return prototype
}
