/**
 * undici has two interfaces for its callers: `onHeaders`, `onData`, … up to version 7, and `onResponseStart`,
 * `onResponseData`, … with a controller since. This is one shape for both: how outcomes are delivered to the
 * caller, and how live responses are received.
 */
import type { HeaderList, HttpHead } from '../session.ts'

/** The program's side: what undici's `fetch` or `request` passed to `dispatch`. */
export type ResponseReceiver = {
  /** `abort` ends the exchange; the caller receives `error`. */
  started(abort: (reason: unknown) => void, resume: () => void): void
  /** False requests a pause. `raw`: the headers as undici's parser gave them, if they are known. */
  head(head: HttpHead, raw: RawHeaders | null): boolean
  data(bytes: Buffer): boolean
  end(trailers: HeaderList): void
  error(error: Error): void
  /** The exchange is over: nothing that undici keeps refers to it any more. */
  over(): void
}

/** Names and values in turn. */
export type RawHeaders = readonly (Buffer | string)[]

type OldHandler = {
  onConnect?(abort: (reason?: unknown) => void, context: null): void
  onHeaders?(status: number, headers: RawHeaders, resume: () => void, statusText: string): boolean | undefined
  onData?(chunk: Buffer): boolean | undefined
  onComplete?(trailers: RawHeaders): void
  onError?(error: Error): void
}

type Controller = {
  readonly paused: boolean
  readonly aborted: boolean
  readonly reason: unknown
  readonly rawHeaders?: RawHeaders
  abort(reason: unknown): void
  pause(): void
  resume(): void
}

type NewHandler = {
  onRequestStart?(controller: Controller, context: unknown): void
  onResponseStart?(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[]>,
    statusText: string,
  ): void
  onResponseData?(controller: Controller, chunk: Buffer): void
  onResponseEnd?(controller: Controller, trailers: Record<string, string | string[]>): void
  onResponseError?(controller: Controller, error: Error): void
}

export type Handler = OldHandler & NewHandler

export function receiverOf(handler: Handler): ResponseReceiver {
  return handler.onRequestStart === undefined ? oldReceiver(handler) : newReceiver(handler)
}

function oldReceiver(handler: OldHandler): ResponseReceiver {
  const control = new ExchangeControl()
  return {
    started(abort, resume) {
      control.connect(abort, resume)
      handler.onConnect?.(abortOf(control), null)
    },
    head: ({ status, headers, statusText }, raw) =>
      handler.onHeaders?.(status, raw ?? rawHeaders(headers), resumeOf(control), statusText) !== false,
    data: (bytes) => handler.onData?.(bytes) !== false,
    end: (trailers) => handler.onComplete?.(rawHeaders(trailers)),
    error: (error) => handler.onError?.(error),
    over: () => control.release(),
  }
}

/**
 * Undici's `fetch` keeps what it got to abort and to resume a request until the next full garbage collection, so
 * that must not keep the exchange in memory.
 */
class ExchangeControl {
  #abort: ((reason: unknown) => void) | null = null
  #resume: (() => void) | null = null

  connect(abort: (reason: unknown) => void, resume: () => void): void {
    this.#abort = abort
    this.#resume = resume
  }

  release(): void {
    this.#abort = null
    this.#resume = null
  }

  abort(reason: unknown): void {
    this.#abort?.(reason)
  }

  resume(): void {
    this.#resume?.()
  }
}

// Functions of their own: closures that are made in one function keep all that any of them uses.
function abortOf(control: ExchangeControl): (reason: unknown) => void {
  return (reason) => control.abort(reason)
}

function resumeOf(control: ExchangeControl): () => void {
  return () => control.resume()
}

function newReceiver(handler: NewHandler): ResponseReceiver {
  const controller = new ExchangeController()
  return {
    started(abort, resume) {
      controller.connect(abort, resume)
      handler.onRequestStart?.(controller, null)
    },
    head({ status, headers, statusText }, raw) {
      controller.rawHeaders = raw ?? rawHeaders(headers)
      handler.onResponseStart?.(controller, status, headerObject(headers), statusText)
      return !controller.paused
    },
    data(bytes) {
      handler.onResponseData?.(controller, bytes)
      return !controller.paused
    },
    end: (trailers) => handler.onResponseEnd?.(controller, headerObject(trailers)),
    error: (error) => handler.onResponseError?.(controller, error),
    over: () => controller.release(),
  }
}

/** A class, as undici's own is: V8 takes 1 to 10 µs for an object literal with getters, and each request needs one. */
class ExchangeController extends ExchangeControl implements Controller {
  rawHeaders: RawHeaders = []
  #paused = false
  #aborted = false
  #reason: unknown = null

  get paused(): boolean {
    return this.#paused
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  override abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    super.abort(reason)
  }

  pause(): void {
    this.#paused = true
  }

  override resume(): void {
    this.#paused = false
    super.resume()
  }
}

/**
 * The real side: a handler, with the interface of the called dispatcher, which passes everything to
 * `receiver`.
 */
export function handlerFor(receiver: LiveReceiver, dialect: 'old' | 'new'): Handler {
  if (dialect === 'old') {
    return {
      onConnect: (abort) => receiver.connected((reason) => abort(reason)),
      onHeaders(status, headers, resume, statusText) {
        receiver.resumable(resume)
        return receiver.head(status, pairsFromRaw(headers), statusText, headers)
      },
      onData: (chunk) => receiver.data(chunk),
      onComplete: (trailers) => receiver.end(pairsFromRaw(trailers ?? [])),
      onError: (error) => receiver.error(error),
    }
  }
  const pauseUnless = (go: boolean, controller: Controller): void => {
    if (!go) controller.pause()
  }
  return {
    onRequestStart(controller) {
      receiver.connected((reason) => controller.abort(reason))
      receiver.resumable(() => controller.resume())
    },
    onResponseStart(controller, status, headers, statusText) {
      const raw = controller.rawHeaders
      const pairs = raw === undefined ? pairsFromObject(headers) : pairsFromRaw(raw)
      pauseUnless(receiver.head(status, pairs, statusText ?? '', raw), controller)
    },
    onResponseData: (controller, chunk) => pauseUnless(receiver.data(chunk), controller),
    onResponseEnd: (_controller, trailers) => receiver.end(pairsFromObject(trailers ?? {})),
    onResponseError: (_controller, error) => receiver.error(error),
  }
}

export type LiveReceiver = {
  connected(abort: (reason: unknown) => void): void
  resumable(resume: () => void): void
  head(status: number, headers: HeaderList, statusText: string, raw: RawHeaders | undefined): boolean
  data(bytes: Buffer): boolean
  end(trailers: HeaderList): void
  error(error: Error): void
}

/** Header bytes are latin1 on the wire, and stay so. They are slices of one text, as undici's own. */
function rawHeaders(headers: HeaderList): Buffer[] {
  const raw: Buffer[] = []
  if (headers.length === 0) return raw
  let whole = ''
  for (const [name, value] of headers) whole += name + value
  const bytes = Buffer.from(whole, 'latin1')
  let at = 0
  for (const pair of headers)
    for (const text of pair) {
      const end = at + text.length
      raw.push(bytes.subarray(at, end))
      at = end
    }
  return raw
}

function pairsFromRaw(raw: RawHeaders): HeaderList {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([latin1(raw[at]), latin1(raw[at + 1])])
  return pairs
}

function pairsFromObject(headers: Readonly<Record<string, string | string[] | undefined>>): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((each) => [name, each] as const),
  )
}

function headerObject(headers: HeaderList): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const known = object[key]
    object[key] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value]
  }
  return object
}

function latin1(value: Buffer | string | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '')
}
