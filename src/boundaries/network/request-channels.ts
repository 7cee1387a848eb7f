/**
 * The events of Node's own `fetch` about its requests (`undici:request:…`), in both modes from the same
 * place: in the program's context, when the request starts and when an outcome is delivered. Events that
 * undici publishes while it performs a request for a recording are not passed on.
 *
 * A listener may add headers to a request when it is created; they are sent. `socket` has no address.
 *
 * Decision 0326.
 */
import { activeChannelPrototype, type Channel, requestChannels } from '../../real/diagnostics.ts'
import { isOutside } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { HeaderList } from '../session.ts'
import type { DispatchOptions } from './dispatched-request.ts'

export type RequestEvents = {
  /** The headers of the request, with those that a listener has added. */
  readonly headers: HeaderList
  readonly hasAdded: boolean
  head(status: number, headers: HeaderList, statusText: string): void
  end(trailers: HeaderList): void
  error(error: Error): void
}

/** Publishes that the request was created. */
export function requestEvents(options: DispatchOptions, headers: HeaderList): RequestEvents {
  const on = requestChannels()
  const request = new PublishedRequest(options, headers)
  const publish = (channel: Channel, message: object): void => {
    if (channel.hasSubscribers) channel.publish(message)
  }
  publish(on.create, { request })
  const added = request.added.slice()
  let isSent = false
  const sent = (): void => {
    if (isSent) return
    isSent = true
    publish(on.sendHeaders, { request, headers: headText(options, request.headers), socket: NO_SOCKET })
    if (request.body !== null) publish(on.bodySent, { request })
  }
  return {
    headers: [...headers, ...added],
    hasAdded: added.length > 0,
    head(statusCode, pairs, statusText) {
      sent()
      publish(on.headers, { request, response: { statusCode, headers: raw(pairs), statusText } })
    },
    end(trailers) {
      request.completed = true
      publish(on.trailers, { request, trailers: raw(trailers) })
    },
    error(error) {
      request.aborted = true
      publish(on.error, { request, error })
    },
  }
}

/** The fields of undici's own request that its docs name. */
class PublishedRequest {
  readonly origin: unknown
  readonly path: string
  readonly method: string
  readonly body: unknown
  /** Names and values in turn. */
  readonly headers: string[]
  completed = false
  aborted = false
  #added: (readonly [string, string])[] = []

  constructor({ origin, path, method, body }: DispatchOptions, headers: HeaderList) {
    this.origin = origin
    this.path = path
    this.method = method
    this.body = body ?? null
    this.headers = headers.flat()
  }

  get added(): HeaderList {
    return this.#added
  }

  addHeader(name: unknown, value: unknown): this {
    this.#added.push([String(name), String(value)])
    this.headers.push(String(name), String(value))
    return this
  }
}

const NO_SOCKET = Object.freeze({})

function headText({ method, path }: DispatchOptions, headers: readonly string[]): string {
  let text = `${method} ${path} HTTP/1.1\r\n`
  for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
  return text
}

function raw(headers: HeaderList): Buffer[] {
  return headers.flat().map((text) => Buffer.from(text, 'latin1'))
}

/** Channels on which code that runs for a recording publishes. */
const OF_THE_WORLD = /^(?:undici:|net\.)/

/** Events of the connections and requests that a recording performs do not reach the program. */
export function publishPatches(): Patch[] {
  return [patchFunction(activeChannelPrototype(), 'publish', withoutTheWorld)]
}

function withoutTheWorld(original: AnyFunction): AnyFunction {
  return function publish(this: { readonly name?: unknown }, ...args: unknown[]): unknown {
    if (typeof this.name === 'string' && OF_THE_WORLD.test(this.name) && isOutside()) return undefined
    return Reflect.apply(original, this, args)
  }
}
