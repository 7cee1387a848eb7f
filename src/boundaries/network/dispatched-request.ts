/**
 * A request as undici's dispatchers get it: its URL, its headers and its body, read in the program's own
 * context. The body is read whole before the effect starts, because it is part of the match key. A body that
 * is produced while it is sent is read by upload.ts.
 */
import { concatBytes, headerOf } from '../../base/index.ts'
import { type HeaderList, MAX_WAITING_BYTES } from '../session.ts'

export type DispatchOptions = {
  readonly origin?: string | URL
  readonly path: string
  readonly method: string
  readonly headers?: unknown
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly upgrade?: unknown
  readonly [option: string]: unknown
}

export function isUpgrade(options: DispatchOptions): boolean {
  return (
    options.method === 'CONNECT' ||
    (options.upgrade !== undefined && options.upgrade !== null && options.upgrade !== false)
  )
}

export function urlOf(options: DispatchOptions): string {
  const { origin, path } = options
  // `fetch` has parsed the URL already: joining the parts gives a valid one.
  const plain = options.query === undefined && typeof origin === 'string' ? plainUrl(origin, path) : null
  if (plain !== null) return plain
  const url = new URL(options.path, options.origin)
  // Setting a part builds the URL again.
  if (options.query === undefined && url.hash === '') return url.href
  for (const [name, value] of Object.entries(options.query ?? {}))
    url.searchParams.append(name, String(value))
  url.hash = ''
  return url.href
}

const PLAIN_PATH = /^\/(?![/.]|%2e)(?:(?!\/(?:\.|%2e))[\w\-~!$&()*+,;=:@%/?.])*$/i
const MOST_ORIGINS = 256

const plainOrigins = new Set<string>()

/**
 * Joins an origin and a path into a URL if nothing needs normalising: an origin as a URL writes it, and no
 * character in the path that a URL would write differently. Null for anything else, which the URL parser must
 * handle.
 */
export function plainUrl(origin: string, path: string): string | null {
  return PLAIN_PATH.test(path) && isPlainOrigin(origin) ? origin + path : null
}

function isPlainOrigin(origin: string): boolean {
  if (plainOrigins.has(origin)) return true
  if (!URL.canParse(origin) || new URL('/', origin).href !== `${origin}/`) return false
  if (plainOrigins.size < MOST_ORIGINS) plainOrigins.add(origin)
  return true
}

/** undici accepts headers as an object, a flat list, pairs or any iterable of pairs. */
export function headerPairs(headers: unknown): HeaderList {
  if (headers === null || headers === undefined) return []
  if (
    Array.isArray(headers) &&
    headers.every((each) => typeof each === 'string' || each instanceof Uint8Array)
  ) {
    const flat = headers.map((each) =>
      typeof each === 'string' ? each : Buffer.from(each).toString('latin1'),
    )
    return Array.from(
      { length: Math.floor(flat.length / 2) },
      (_, at) => [flat[at * 2] ?? '', flat[at * 2 + 1] ?? ''] as const,
    )
  }
  const entries: [string, unknown][] =
    typeof headers === 'object' && Symbol.iterator in headers
      ? [...(headers as Iterable<[string, unknown]>)]
      : Object.entries(headers as object)
  if (entries.every(isTextPair)) return entries
  return entries.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [String(name), String(each)] as const),
  )
}

function isTextPair(pair: [string, unknown]): pair is [string, string] {
  return typeof pair[1] === 'string' && typeof pair[0] === 'string'
}

/** A body of known length is in memory, or a file. It is small enough to be read before anything is sent. */
export function isCounted(headers: HeaderList): boolean {
  const length = headerOf(headers, 'content-length')
  return length !== undefined && Number(length) <= MAX_WAITING_BYTES
}

export type BodySource = unknown

export type CollectedBody = {
  readonly bytes: Uint8Array | null
  readonly chunks: readonly Uint8Array[]
  readonly isCopy: boolean
}

/** Made once: V8 takes a microsecond for an object literal with a list in it. */
const NO_BODY: CollectedBody = { bytes: null, chunks: [], isCopy: true }

/** Null if it can only be read asynchronously: then use `collectBody`. */
export function bodyAtHand(body: BodySource): CollectedBody | null {
  if (body === null || body === undefined) return NO_BODY
  if (typeof body === 'string') return { ...whole(Buffer.from(body)), isCopy: true }
  if (body instanceof Uint8Array) return whole(body)
  if (body instanceof ArrayBuffer) return whole(new Uint8Array(body))
  return null
}

export async function collectBody(body: BodySource): Promise<CollectedBody> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body as AsyncIterable<unknown>)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : new Uint8Array(chunk as Uint8Array))
  return { bytes: concatBytes(chunks), chunks, isCopy: true }
}

export function isIterable(body: BodySource): boolean {
  return (
    typeof body === 'object' && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body)
  )
}

/** What is sent in its place: the same bytes in the same form, so that the server sees the same framing. */
export function bodyToSend(original: BodySource, collected: CollectedBody): unknown {
  if (bodyAtHand(original) !== null) return original
  return (async function* () {
    yield* collected.chunks
  })()
}

function whole(bytes: Uint8Array): CollectedBody {
  return { bytes, chunks: [bytes], isCopy: false }
}
