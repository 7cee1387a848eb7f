/**
 * A dispatcher that stands before undici's own: each exchange is an effect. In a recording the real dispatcher is asked, outside the program's
 * context, and what it answers goes through the gate; in a replay the tape answers and nothing real exists.
 *
 * `fetch` itself (redirects, decompression, clone, abort, error texts) is undici's own code in both modes.
 */
import { headerOf, label } from '../../base/index.ts'
import { realQueueMicrotask } from '../../real/clock.ts'
import { activeSession, outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import { type Effect, type ErrorFacts, type HeaderList, MAX_WAITING_BYTES, type Outcome, type Session } from '../session.ts'
import { type Handler, handlerFor, type ResponseReceiver, receiverOf } from './handlers.ts'
import { plainUrl } from './plain-url.ts'
import { type BodySource, bodyAtHand, bodyToSend, type CollectedBody, collectBody, isIterable } from './request-body.ts'
import { startSupporting } from './supporting.ts'
import { startUpload } from './upload.ts'

type DispatchOptions = {
  readonly origin?: string | URL
  readonly path: string
  readonly method: string
  readonly headers?: unknown
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly upgrade?: unknown
  readonly [option: string]: unknown
}

export type Dispatcher = { dispatch(options: DispatchOptions, handler: Handler): boolean }

const NETWORK = label('network')

const gated = new WeakMap<Dispatcher, Dispatcher>()
const own = new WeakSet<Dispatcher>()

/** The gate before `real`: the same one for the same dispatcher. It inherits everything else (`close`, `compose`, events) from it. */
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
        return session === null || isUpgrade(options) ? real.dispatch(options, handler) : dispatchInSession(session, real, options, handler)
      },
    },
  })
  gated.set(real, gate)
  own.add(gate)
  return gate
}

/** The dispatcher that a gate stands before; null if it is no gate. */
export function behindGate(dispatcher: Dispatcher): Dispatcher | null {
  return own.has(dispatcher) ? Object.getPrototypeOf(dispatcher) : null
}

export function isGated(dispatcher: object): boolean {
  return own.has(dispatcher as Dispatcher)
}

function isUpgrade(options: DispatchOptions): boolean {
  return options.method === 'CONNECT' || (options.upgrade !== undefined && options.upgrade !== null && options.upgrade !== false)
}

function dispatchInSession(session: Session, real: Dispatcher, options: DispatchOptions, handler: Handler): boolean {
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

function createExchange(session: Session, real: Dispatcher, options: DispatchOptions, handler: Handler, receiver: ResponseReceiver): Exchange {
  let effect: Effect | null = null
  let state: 'open' | 'done' = 'open'
  let world: World | null = null
  let paused = false
  /** The place of an answer that comes before the request is whole, and what it says. */
  let early: Effect | null = null
  const earlyOutcomes: Outcome[] = []
  const url = urlOf(options)
  const headers = headerPairs(options.headers)

  const finish = (): void => {
    state = 'done'
    early?.close()
    effect?.close()
  }

  const arrive = (outcome: Outcome): void => {
    if (effect !== null) effect.arrive(outcome)
    else if (earlyOutcomes.push(outcome) === 1) early?.arrive({ type: 'completion' })
  }

  const ask = (body: unknown): World => startWorld(real, { ...options, body }, arrive, () => paused, dialectOf(handler))

  const receive = (outcome: Outcome): void => {
    switch (outcome.type) {
      case 'head':
        paused = !receiver.head(outcome.status, outcome.headers, outcome.statusText)
        break
      case 'chunk':
        world?.taken(outcome.bytes.byteLength)
        paused = !receiver.data(Buffer.from(outcome.bytes.buffer, outcome.bytes.byteOffset, outcome.bytes.byteLength))
        break
      case 'end':
        finish()
        receiver.end(outcome.trailers)
        return
      case 'error':
        finish()
        receiver.error(errorFromFacts(outcome.error))
        return
      case 'timer':
      case 'completion':
        throw new Error(`an exchange cannot receive ${outcome.type}`)
    }
    if (!paused) world?.resume()
  }

  const fail = (error: unknown): void => {
    if (state === 'done') return
    world?.abort(error)
    finish()
    receiver.error(error instanceof Error ? error : new Error(String(error)))
  }

  const begin = (body: CollectedBody): void => {
    if (state === 'done' || effect !== null) return
    early?.close()
    const request = { method: options.method, url, headers, body: body.bytes }
    try {
      effect = session.start(NETWORK, `${request.method} ${url}`, receive, { request })
    } catch (error) {
      // The replay has no such request: the program hears of it as of any failed request, in a turn of the microtask queue.
      realQueueMicrotask(() => fail(error))
      return
    }
    if (session.mode === 'replay' || effect.served === true) return
    if (world !== null) for (const outcome of earlyOutcomes.splice(0)) effect.arrive(outcome)
    else if (!session.allowsNetwork(url)) effect.arrive({ type: 'error', error: deniedFacts(url) })
    else world = ask(bodyToSend(options.body, body))
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
      early = startSupporting(session, NETWORK, `upload ${options.method} ${url}`, () => begin(upload.soFar()), true)
      if (session.mode === 'record' && session.allowsNetwork(url)) world = ask(upload.passedOn)
      upload.whole.then(() => begin(upload.soFar()), fail)
    },
    fail,
    abort(reason) {
      if (state === 'done') return
      world?.abort(reason)
      finish()
      realQueueMicrotask(() => receiver.error(reason instanceof Error ? reason : new Error('aborted')))
    },
    resume() {
      paused = false
      world?.resume()
    },
  }
}

/** What the program gets for a host that `--network deny` does not allow: an error as of a connection that was refused. */
export function deniedFacts(url: string): ErrorFacts {
  const { host } = new URL(url)
  return { constructorName: 'Error', name: 'Error', message: `network denied: ${host} is not among the allowed hosts`, code: 'ENETDENIED' }
}

type World = { abort(reason: unknown): void; resume(): void; taken(bytes: number): void }

/** Asks the real dispatcher. Everything it says arrives at the gate; nothing reaches the program from here. */
function startWorld(
  real: Dispatcher,
  options: DispatchOptions,
  arrive: (outcome: Outcome) => void,
  isPaused: () => boolean,
  dialect: 'old' | 'new',
): World {
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

/** A body whose length is known is at hand, or a file. It is small enough to be taken in before anything is sent. */
function isCounted(headers: HeaderList): boolean {
  const length = headerOf(headers, 'content-length')
  return length !== undefined && Number(length) <= MAX_WAITING_BYTES
}

function dialectOf(handler: Handler): 'old' | 'new' {
  return handler.onRequestStart === undefined ? 'old' : 'new'
}

function urlOf(options: DispatchOptions): string {
  const { origin, path } = options
  // What `fetch` asks for has been through a URL already: put together it is one.
  const plain = options.query === undefined && typeof origin === 'string' ? plainUrl(origin, path) : null
  if (plain !== null) return plain
  const url = new URL(options.path, options.origin)
  // Setting a part makes the URL anew.
  if (options.query === undefined && url.hash === '') return url.href
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.append(name, String(value))
  url.hash = ''
  return url.href
}

/** undici takes headers as an object, a flat list, pairs or anything that iterates over pairs. */
function headerPairs(headers: unknown): HeaderList {
  if (headers === null || headers === undefined) return []
  if (Array.isArray(headers) && headers.every((each) => typeof each === 'string' || each instanceof Uint8Array)) {
    const flat = headers.map((each) => (typeof each === 'string' ? each : Buffer.from(each).toString('latin1')))
    return Array.from({ length: Math.floor(flat.length / 2) }, (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const)
  }
  const entries: [string, unknown][] =
    typeof headers === 'object' && Symbol.iterator in headers ? [...(headers as Iterable<[string, unknown]>)] : Object.entries(headers as object)
  if (entries.every(isTextPair)) return entries
  return entries.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [String(name), String(each)] as const))
}

function isTextPair(pair: [string, unknown]): pair is [string, string] {
  return typeof pair[1] === 'string' && typeof pair[0] === 'string'
}
