/**
 * A dispatcher in front of undici's own: each exchange is an effect. In a recording the real
 * dispatcher is asked, outside the program's context, and what it answers goes through the gate; in a replay
 * the tape answers and nothing real exists.
 *
 * `fetch` itself (redirects, decompression, clone, abort, error texts) is undici's own code in both modes.
 *
 * Decisions 0008 and 0142.
 */
import { label } from '../../base/index.ts'
import { realQueueMicrotask } from '../../real/clock.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import { type Effect, type ErrorFacts, MAX_WAITING_BYTES, type Outcome, type Session } from '../session.ts'
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
import { type Handler, handlerFor, type ResponseReceiver, receiverOf } from './handlers.ts'
import { requestEvents } from './request-channels.ts'
import { startSupporting } from './supporting.ts'
import { startUpload } from './upload.ts'

export type Dispatcher = { dispatch(options: DispatchOptions, handler: Handler): boolean }

const NETWORK = label('network')

const gated = new WeakMap<Dispatcher, Dispatcher>()
const own = new WeakSet<Dispatcher>()

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
        return session === null || isUpgrade(options)
          ? real.dispatch(options, handler)
          : dispatchInSession(session, real, options, handler)
      },
    },
  })
  gated.set(real, gate)
  own.add(gate)
  return gate
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
  /** The place of an answer that comes before the request is whole, and what it says. */
  let early: Effect | null = null
  const earlyOutcomes: Outcome[] = []
  const url = urlOf(options)
  const given = headerPairs(options.headers)
  const events = requestEvents(options, given)
  const headers = events?.headers ?? given
  const toSend = events?.hasAdded === true ? { ...options, headers: headers.flat() } : options

  const finish = (): void => {
    state = 'done'
    early?.close()
    effect?.close()
  }

  const arrive = (outcome: Outcome): void => {
    if (effect !== null) effect.arrive(outcome)
    else if (earlyOutcomes.push(outcome) === 1) early?.arrive({ type: 'completion' })
  }

  const ask = (body: unknown): LiveRequest =>
    startLive(real, { ...toSend, body }, arrive, () => paused, dialectOf(handler))

  const failWith = (error: Error): void => {
    finish()
    events?.error(error)
    receiver.error(error)
  }

  const receive = (outcome: Outcome): void => {
    switch (outcome.type) {
      case 'head':
        events?.head(outcome.status, outcome.headers, outcome.statusText)
        paused = !receiver.head(outcome.status, outcome.headers, outcome.statusText)
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

  const begin = (body: CollectedBody): void => {
    if (state === 'done' || effect !== null) return
    early?.close()
    const request = { method: options.method, url, headers, body: body.bytes }
    try {
      effect = session.start(NETWORK, `${request.method} ${url}`, receive, { request })
    } catch (error) {
      // The replay has no such request: the program hears of it as of any failed request, in a turn of the
      // microtask queue.
      realQueueMicrotask(() => fail(error))
      return
    }
    if (!effect.isLive) return
    if (live !== null) for (const outcome of earlyOutcomes.splice(0)) effect.arrive(outcome)
    else if (!session.allowsNetwork(url)) effect.arrive({ type: 'error', error: deniedFacts(url) })
    else live = ask(bodyToSend(options.body, body))
  }

  return {
    begin,
    upload(source) {
      // Where the tape may answer, nothing goes out before the whole key is known.
      if (isCounted(headers) || session.mayServe === true) {
        collectBody(source).then(begin, fail)
        return
      }
      const upload = startUpload(source)
      early = startSupporting(
        session,
        NETWORK,
        `upload ${options.method} ${url}`,
        () => begin(upload.soFar()),
        true,
      )
      if (session.isLive(NETWORK) && session.allowsNetwork(url)) live = ask(upload.passedOn)
      upload.whole.then(() => begin(upload.soFar()), fail)
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

/**
 * What the program gets for a host that `--network deny` does not allow: an error as of a connection that was
 * refused.
 */
export function deniedFacts(url: string): ErrorFacts {
  const { host } = new URL(url)
  return {
    constructorName: 'Error',
    name: 'Error',
    message: `network denied: ${host} is not among the allowed hosts`,
    code: 'ENETDENIED',
  }
}

type LiveRequest = { abort(reason: unknown): void; resume(): void; taken(bytes: number): void }

/**
 * Asks the real dispatcher. Everything it says arrives at the gate; nothing reaches the program from here.
 */
function startLive(
  real: Dispatcher,
  options: DispatchOptions,
  arrive: (outcome: Outcome) => void,
  isPaused: () => boolean,
  dialect: 'old' | 'new',
): LiveRequest {
  let waitingBytes = 0
  let abortReal: ((reason: unknown) => void) | null = null
  let abortedWith: { readonly reason: unknown } | null = null
  let resumeReal: () => void = () => undefined
  const mayFlow = (): boolean => !isPaused() && waitingBytes < MAX_WAITING_BYTES
  const handler = handlerFor(
    {
      connected(abort) {
        abortReal = abort
        if (abortedWith !== null) abort(abortedWith.reason)
      },
      resumable(resume) {
        resumeReal = resume
      },
      head(status, headers, statusText) {
        arrive({ type: 'head', status, headers, statusText })
        return mayFlow()
      },
      data(bytes) {
        // Copied: undici reuses its buffer, and this one waits for its turn.
        const copy = new Uint8Array(bytes)
        waitingBytes += copy.byteLength
        arrive({ type: 'chunk', bytes: copy })
        return mayFlow()
      },
      end: (trailers) => arrive({ type: 'end', trailers }),
      error: (error) => arrive({ type: 'error', error: errorFacts(error) }),
    },
    dialect,
  )
  outside(() => real.dispatch(options, handler))
  return {
    abort(reason) {
      abortedWith = { reason }
      outside(() => abortReal?.(reason))
    },
    resume: () => outside(() => (mayFlow() ? resumeReal() : undefined)),
    taken(bytes) {
      waitingBytes -= bytes
    },
  }
}

function dialectOf(handler: Handler): 'old' | 'new' {
  return handler.onRequestStart === undefined ? 'old' : 'new'
}
