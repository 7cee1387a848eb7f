/**
 * A dispatcher in front of undici's own: each exchange is an effect. In a recording the real dispatcher is
 * called, outside the program's context, and its response goes through the gate; in a replay the response
 * comes from the tape and nothing is sent.
 *
 * `fetch` itself (redirects, decompression, clone, abort, error texts) is undici's own code in both modes.
 *
 * Decisions 0008 and 0142.
 */
import { label } from '../../base/index.ts'
import { realQueueMicrotask } from '../../real/clock.ts'
import { areRequestsObserved } from '../../real/diagnostics.ts'
import { activeSession } from '../context.ts'
import { errorFromFacts } from '../errors.ts'
import type { Effect, ErrorFacts, HttpRequest, Outcome, Session } from '../session.ts'
import {
  type BodySource,
  bodyAtHand,
  bodyToSend,
  type CollectedBody,
  collectBody,
  type DispatchOptions,
  headerPairs,
  isCounted,
  isIterable,
  isUpgrade,
  urlOf,
} from './dispatched-request.ts'
import { type Handler, type ResponseReceiver, receiverOf } from './handlers.ts'
import { type LiveRequest, startLive } from './live-request.ts'
import { headersFor, outgoingBody } from './outgoing-body.ts'
import { PendingBody } from './pending-body.ts'
import { requestEvents } from './request-channels.ts'
import { startSupporting } from './supporting.ts'
import { startUpload, type Upload } from './upload.ts'

export type Dispatcher = { dispatch(options: DispatchOptions, handler: Handler): boolean }

const NETWORK = label('network')

const gated = new WeakMap<Dispatcher, Dispatcher>()
const own = new WeakSet<Dispatcher>()
const upgrading = new WeakMap<Dispatcher, Dispatcher>()

/**
 * The gate before `real`: the same one for the same dispatcher. It inherits everything else (`close`,
 * `compose`, events) from it.
 */
export function gatedDispatcher(real: Dispatcher): Dispatcher {
  if (own.has(real)) return real
  const known = gated.get(real)
  if (known !== undefined) return known
  const gate: Dispatcher = Object.create(real, {
    dispatch: {
      configurable: true,
      writable: true,
      value: (options: DispatchOptions, handler: Handler): boolean => {
        const session = activeSession('network')
        if (session === null) return real.dispatch(options, handler)
        return isUpgrade(options)
          ? forUpgrades(real).dispatch(options, handler)
          : dispatchInSession(session, real, options, handler)
      },
    },
  })
  gated.set(real, gate)
  own.add(gate)
  return gate
}

/**
 * A dispatcher of the same class for WebSockets, which are recorded at their connection. The real one keeps
 * connections of earlier requests, which it has opened outside of the session, and would upgrade one of them.
 */
function forUpgrades(real: Dispatcher): Dispatcher {
  if (real.constructor.name !== 'Agent') return real
  const known = upgrading.get(real) ?? (Reflect.construct(real.constructor, []) as Dispatcher)
  upgrading.set(real, known)
  return known
}

/** The dispatcher behind a gate; null if it is not a gate. */
export function behindGate(dispatcher: Dispatcher): Dispatcher | null {
  return own.has(dispatcher) ? Object.getPrototypeOf(dispatcher) : null
}

export function isGated(dispatcher: object): boolean {
  return own.has(dispatcher as Dispatcher)
}

function dispatchInSession(
  session: Session,
  real: Dispatcher,
  options: DispatchOptions,
  handler: Handler,
): boolean {
  const receiver = receiverOf(handler)
  const exchange = createExchange(session, real, options, handler, receiver)
  receiver.started(exchange.abort, exchange.resume)
  const atHand = bodyAtHand(options.body)
  if (atHand !== null) exchange.begin(atHand)
  else if (isIterable(options.body)) exchange.upload(options.body)
  else exchange.fail(new TypeError('a request body of this kind cannot be recorded yet'))
  return true
}

type Exchange = {
  begin(body: CollectedBody): void
  /** The body is read from `source`, and the exchange begins when it is whole. */
  upload(source: BodySource): void
  fail(error: unknown): void
  abort(reason: unknown): void
  resume(): void
}

function createExchange(
  session: Session,
  real: Dispatcher,
  options: DispatchOptions,
  handler: Handler,
  receiver: ResponseReceiver,
): Exchange {
  let effect: Effect | null = null
  let state: 'open' | 'done' = 'open'
  let live: LiveRequest | null = null
  let paused = false
  let upload: Upload | null = null
  /** The position of a response that arrives before the request is whole, and its content. */
  let early: Effect | null = null
  const earlyOutcomes: Outcome[] = []
  const url = urlOf(options)
  const given = headerPairs(options.headers)
  const events = areRequestsObserved() ? requestEvents(options, given) : null
  const headers = events?.headers ?? given
  const toSend = events?.hasAdded === true ? { ...options, headers: headers.flat() } : options

  const finish = (): void => {
    state = 'done'
    upload?.stop()
    early?.close()
    effect?.close()
    receiver.over()
  }

  const arrive = (outcome: Outcome): void => {
    if (effect !== null) effect.arrive(outcome)
    else if (earlyOutcomes.push(outcome) === 1) early?.arrive({ type: 'completion' })
  }

  const ask = (body: unknown): LiveRequest => {
    const asked = body === toSend.body ? toSend : { ...toSend, body }
    return startLive(real, asked, arrive, () => paused, dialectOf(handler))
  }

  const askOther = (body: Uint8Array): LiveRequest => {
    const others = { ...toSend, headers: headersFor(headers, body).flat(), body }
    return startLive(real, others, arrive, () => paused, dialectOf(handler))
  }

  const failWith = (error: Error): void => {
    finish()
    events?.error(error)
    receiver.error(error)
  }

  const receive = (outcome: Outcome): void => {
    switch (outcome.type) {
      case 'head':
        events?.head(outcome.status, outcome.headers, outcome.statusText)
        paused = !receiver.head(outcome, live?.rawOf(outcome.headers) ?? null)
        break
      case 'chunk':
        live?.taken(outcome.bytes.byteLength)
        paused = !receiver.data(
          Buffer.from(outcome.bytes.buffer, outcome.bytes.byteOffset, outcome.bytes.byteLength),
        )
        break
      case 'end':
        finish()
        events?.end(outcome.trailers)
        receiver.end(outcome.trailers)
        return
      case 'error':
        failWith(errorFromFacts(outcome.error))
        return
      case 'timer':
      case 'completion':
        throw new Error(`an exchange cannot receive ${outcome.type}`)
    }
    if (!paused) live?.resume()
  }

  const fail = (error: unknown): void => {
    if (state === 'done') return
    live?.abort(error)
    failWith(error instanceof Error ? error : new Error(String(error)))
  }

  /** `toSend`: what the server gets, if it was not sent already. */
  const begin = (
    body: Pick<HttpRequest, 'body' | 'isCopy' | 'collected'>,
    bodyForWorld: () => unknown,
  ): void => {
    if (state === 'done' || effect !== null) return
    early?.close()
    const request = { method: options.method, url, headers, ...body }
    try {
      effect = session.start(NETWORK, `${request.method} ${url}`, receive, { request })
    } catch (error) {
      // The replay has no such request: the program gets a failed request, in a turn of the microtask queue.
      realQueueMicrotask(() => fail(error))
      return
    }
    if (!effect.isLive) return
    if (live !== null) for (const outcome of earlyOutcomes.splice(0)) effect.arrive(outcome)
    else if (!session.allowsNetwork(url)) effect.arrive({ type: 'error', error: deniedFacts(url) })
    else {
      const other = request.body === null ? null : outgoingBody(session, request)
      live = other === null ? ask(bodyForWorld()) : askOther(other)
    }
  }

  const beginWith = (body: CollectedBody): void =>
    begin({ body: body.bytes, isCopy: body.isCopy }, () => bodyToSend(options.body, body))

  /** The source of an upload waits until the connection has accepted its bytes. */
  const waitForWorld = (taken: (callback: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      const drain = startSupporting(
        session,
        NETWORK,
        `drain ${options.method} ${url}`,
        () => {
          drain?.close()
          resolve()
        },
        true,
      )
      if (drain === null) resolve()
      else if (drain.isLive) taken(() => drain.arrive({ type: 'completion' }))
    })

  return {
    begin: beginWith,
    upload(source) {
      // If the tape may answer, nothing is sent before the whole key is known.
      if (isCounted(headers) || session.mayServe === true) {
        collectBody(source).then(beginWith, fail)
        return
      }
      const body = new PendingBody(session, headers)
      const started = startUpload(source, body, { wait: waitForWorld })
      upload = started
      const beginSoFar = (): void => {
        // A response that arrived before the body was whole has begun it.
        if (state === 'done') body.drop()
        else if (effect === null) {
          started.stop()
          begin(started.soFar(), () => null)
        }
      }
      early = startSupporting(session, NETWORK, `upload ${options.method} ${url}`, beginSoFar, true)
      if (session.isLive(NETWORK) && session.allowsNetwork(url)) live = ask(started.passedOn())
      started.whole.then(beginSoFar, (error: unknown) => {
        body.drop()
        fail(error)
      })
    },
    fail,
    abort(reason) {
      if (state === 'done') return
      live?.abort(reason)
      finish()
      const error = reason instanceof Error ? reason : new Error('aborted')
      events?.error(error)
      realQueueMicrotask(() => receiver.error(error))
    },
    resume() {
      paused = false
      live?.resume()
    },
  }
}

/** The program's error for a host that `--network deny` does not allow: as of a refused connection. */
export function deniedFacts(url: string): ErrorFacts {
  const { host } = new URL(url)
  return {
    constructorName: 'Error',
    name: 'Error',
    message: `network denied: ${host} is not among the allowed hosts`,
    code: 'ENETDENIED',
  }
}

function dialectOf(handler: Handler): 'old' | 'new' {
  return handler.onRequestStart === undefined ? 'old' : 'new'
}
