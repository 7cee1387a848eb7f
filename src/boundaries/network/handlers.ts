/**
 * undici has two interfaces for its callers: `onHeaders`, `onData`, … up to version 7, and `onResponseStart`,
 * `onResponseData`, … with a controller since. This is one shape for both: how outcomes are delivered to the
 * caller, and how live responses are received.
 */
import type { HeaderList } from '../session.ts'

/** The program's side: what undici's `fetch` or `request` passed to `dispatch`. */
export type ResponseReceiver = {
  /** `abort` ends the exchange; the caller receives `error`. */
  started(abort: (reason: unknown) => void, resume: () => void): void
  /** False requests a pause. */
  head(status: number, headers: HeaderList, statusText: string): boolean
  data(bytes: Buffer): boolean
  end(trailers: HeaderList): void
  error(error: Error): void
}

type OldHandler = {
  onConnect?(abort: (reason?: unknown) => void, context: null): void
  onHeaders?(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean | undefined
  onData?(chunk: Buffer): boolean | undefined
  onComplete?(trailers: Buffer[]): void
  onError?(error: Error): void
}

type Controller = {
  readonly paused: boolean
  readonly aborted: boolean
  readonly reason: unknown
  readonly rawHeaders?: Buffer[]
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
  let resumeProgram: () => void = () => undefined
  return {
    started(abort, resume) {
      resumeProgram = resume
      handler.onConnect?.((reason) => abort(reason), null)
    },
    head: (status, headers, statusText) =>
      handler.onHeaders?.(status, rawHeaders(headers), () => resumeProgram(), statusText) !== false,
    data: (bytes) => handler.onData?.(bytes) !== false,
    end: (trailers) => handler.onComplete?.(rawHeaders(trailers)),
    error: (error) => handler.onError?.(error),
  }
}

function newReceiver(handler: NewHandler): ResponseReceiver {
  const controller = new ExchangeController()
  return {
    started(abort, resume) {
      controller.connect(abort, resume)
      handler.onRequestStart?.(controller, null)
    },
    head(status, headers, statusText) {
      controller.rawHeaders = rawHeaders(headers)
      handler.onResponseStart?.(controller, status, headerObject(headers), statusText)
      return !controller.paused
    },
    data(bytes) {
      handler.onResponseData?.(controller, bytes)
      return !controller.paused
    },
    end: (trailers) => handler.onResponseEnd?.(controller, headerObject(trailers)),
    error: (error) => handler.onResponseError?.(controller, error),
  }
}

/** A class, as undici's own is: V8 takes 1 to 10 µs for an object literal with getters, and each request needs one. */
class ExchangeController implements Controller {
  rawHeaders: Buffer[] = []
  #paused = false
  #aborted = false
  #reason: unknown = null
  #abort: (reason: unknown) => void = () => undefined
  #resume: () => void = () => undefined

  get paused(): boolean {
    return this.#paused
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  connect(abort: (reason: unknown) => void, resume: () => void): void {
    this.#abort = abort
    this.#resume = resume
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#abort(reason)
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#resume()
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
        return receiver.head(status, pairsFromRaw(headers), statusText)
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
      const pairs =
        controller.rawHeaders === undefined ? pairsFromObject(headers) : pairsFromRaw(controller.rawHeaders)
      pauseUnless(receiver.head(status, pairs, statusText ?? ''), controller)
    },
    onResponseData: (controller, chunk) => pauseUnless(receiver.data(chunk), controller),
    onResponseEnd: (_controller, trailers) => receiver.end(pairsFromObject(trailers ?? {})),
    onResponseError: (_controller, error) => receiver.error(error),
  }
}

export type LiveReceiver = {
  connected(abort: (reason: unknown) => void): void
  resumable(resume: () => void): void
  head(status: number, headers: HeaderList, statusText: string): boolean
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
  for (const [name, value] of headers) {
    raw.push(
      bytes.subarray(at, at + name.length),
      bytes.subarray(at + name.length, at + name.length + value.length),
    )
    at += name.length + value.length
  }
  return raw
}

function pairsFromRaw(raw: readonly (Buffer | string)[]): HeaderList {
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
