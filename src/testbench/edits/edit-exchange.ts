/** Edits of a recorded HTTP response: its head, its body, how its connection ends. */
import {
  EventStream,
  headerOf,
  type Json,
  JsonScanError,
  scanWholeJson,
  textOrNull,
  utf8,
} from '../../base/index.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import { messagesOf } from '../mcp/json-rpc.ts'
import { decodedBody } from '../records/decoded-body.ts'
import { type Edit, wrong } from './edit.ts'
import { connectionError, cutError } from './error-facts.ts'
import { withHeaderChanges } from './header-changes.ts'
import { parsePath, withValueAt } from './json-path.ts'
import { bytesOf, cutAfter, failAt, type Piece, withBytes } from './stream-draft.ts'

export type Exchange = {
  readonly head: TapeRecord & { readonly kind: Kind<'http_exchange'> }
  readonly pieces: readonly Piece[]
}

const BODY = ''

/** The reason phrases of status codes. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** `seq` is the record that the user named; `message`: the answer of MCP that it is about. */
export function editExchange(
  exchange: Exchange,
  edit: Edit,
  seq: number,
  rewrite: ((text: string) => string) | null = null,
): Exchange {
  const { head } = exchange
  if (edit.error !== undefined) return { head: withKind(head, failedKind(head.kind, edit.error)), pieces: [] }
  let edited = exchange
  if (edit.status !== undefined) edited = withStatus(edited, edit.status)
  const text = newBody(exchange, edit, seq, rewrite)
  if (text !== null) edited = withBody(edited, utf8(text))
  if (edit.headers !== undefined) edited = withHeaders(edited, edit.headers)
  if (edit.cutAfterBytes !== undefined)
    edited = {
      ...edited,
      pieces: cutAfter(edited.pieces, BODY, edit.cutAfterBytes, cutError(isOfHttpModule(head.kind))),
    }
  return edited
}

/** The connection fails at this piece of the body. */
export function failBody(exchange: Exchange, seq: number, code: string): Exchange {
  return {
    ...exchange,
    pieces: failAt(exchange.pieces, seq, BODY, connectionError(code, exchange.head.kind.url)),
  }
}

/** What a client gets when the server closes the connection in the middle of this body. */
export function cutErrorOf({ head }: Exchange): Json {
  return cutError(isOfHttpModule(head.kind))
}

/** The body as text, without its content encoding. */
function bodyText({ head, pieces }: Exchange, seq: number): string {
  const encoding = headerOf(head.kind.responseHeaders, 'content-encoding') ?? ''
  const raw = bytesOf(pieces, BODY)
  const bytes = encoding === '' ? raw : decodedBody(raw, encoding)
  const text = bytes.byteLength === 0 && raw.byteLength > 0 ? null : textOrNull(bytes)
  if (text === null) throw wrong(`record ${seq}: the body is not text`)
  return text
}

function newBody(
  exchange: Exchange,
  { text, json }: Edit,
  seq: number,
  rewrite: ((text: string) => string) | null,
): string | null {
  if (text !== undefined) return text
  const change = rewrite ?? (json === undefined ? null : (value: string) => withValues(value, json, seq))
  if (change === null) return null
  const body = bodyText(exchange, seq)
  return isEvents(exchange.head.kind) ? inEvents(body, change, json, seq, rewrite !== null) : change(body)
}

/** Values by path, in JSON text. */
export function withValues(text: string, values: { readonly [path: string]: Json }, seq: number): string {
  checkJson(text, seq)
  return Object.entries(values).reduce((before, [path, value]) => {
    const after = withValueAt(before, parsePath(path) ?? [], JSON.stringify(value))
    if (after === null) throw wrong(`record ${seq}: there is no ${path} in the answer`)
    return after
  }, text)
}

function checkJson(text: string, seq: number): void {
  try {
    scanWholeJson(text, () => undefined)
  } catch (error) {
    if (error instanceof JsonScanError) throw wrong(`record ${seq}: the answer is no JSON; use text`)
    throw error
  }
}

/**
 * A body of server-sent events is edited as the list of their data: `$[2].choices[0].delta.content`. A
 * message of MCP is rewritten in the event that has it.
 */
function inEvents(
  body: string,
  change: (text: string) => string,
  json: Edit['json'],
  seq: number,
  isMessage: boolean,
): string {
  const stream = new EventStream()
  const events = [...stream.push(utf8(body))]
  const rest = stream.rest()
  const data = events.map((event) => event.data)
  const changed = isMessage
    ? data.map((text) => (messagesOf(text) === null ? text : change(text)))
    : withEventValues(data, json ?? {}, seq)
  return (
    events
      .map(({ raw }, at) => {
        const text = changed[at] ?? ''
        if (text === data[at]) return raw
        const others = raw.split(/\r\n|\r|\n/).filter((line) => line !== '' && !/^data(?::|$)/.test(line))
        return `${[...others, ...text.split('\n').map((line) => `data: ${line}`)].join('\n')}\n\n`
      })
      .join('') + rest
  )
}

function withEventValues(
  data: readonly string[],
  values: { readonly [path: string]: Json },
  seq: number,
): readonly string[] {
  const changed = [...data]
  for (const [path, value] of Object.entries(values)) {
    const [index, ...rest] = parsePath(path) ?? []
    const text = typeof index === 'number' ? changed[index] : undefined
    if (typeof index !== 'number' || text === undefined)
      throw wrong(
        `record ${seq}: the answer is a stream of ${data.length} events: a path begins with the number of one, as $[0]`,
      )
    checkJson(text, seq)
    const after = withValueAt(text, rest, JSON.stringify(value))
    if (after === null) throw wrong(`record ${seq}: there is no ${path} in the answer`)
    changed[index] = after
  }
  return changed
}

/** Delivered without a content encoding, with the length that it has. */
function withBody({ head, pieces }: Exchange, bytes: Uint8Array): Exchange {
  const responseHeaders = head.kind.responseHeaders
    .filter(([name]) => name.toLowerCase() !== 'content-encoding')
    .map(([name, value]) =>
      name.toLowerCase() === 'content-length'
        ? ([name, String(bytes.byteLength)] as const)
        : ([name, value] as const),
    )
  return { head: withKind(head, { ...head.kind, responseHeaders }), pieces: withBytes(pieces, BODY, bytes) }
}

function withStatus({ head, pieces }: Exchange, status: number): Exchange {
  const { error: _, ...kind } = head.kind
  const end: Piece = {
    record: head,
    stream: BODY,
    together: true,
    what: { type: 'end', error: null, trailers: undefined },
  }
  return {
    head: withKind(head, { ...kind, status, statusText: STATUS_TEXTS[status] ?? '' }),
    // A request that failed had no body.
    pieces: head.kind.status === null ? [end] : pieces,
  }
}

function withHeaders({ head, pieces }: Exchange, changes: NonNullable<Edit['headers']>): Exchange {
  const responseHeaders = withHeaderChanges(head.kind.responseHeaders, changes)
  return { head: withKind(head, { ...head.kind, responseHeaders }), pieces }
}

function failedKind(kind: Kind<'http_exchange'>, code: string): Kind<'http_exchange'> {
  const { statusText: _text, httpVersion: _version, ...rest } = kind
  return { ...rest, status: null, responseHeaders: [], error: connectionError(code, kind.url) }
}

function withKind(head: Exchange['head'], kind: Kind<'http_exchange'>): Exchange['head'] {
  return { ...head, kind }
}

function isEvents({ responseHeaders }: Kind<'http_exchange'>): boolean {
  return /^text\/event-stream\b/i.test(headerOf(responseHeaders, 'content-type') ?? '')
}

/** Only `node:http` shows its `host` header: `fetch` and undici add it on the wire. */
function isOfHttpModule({ requestHeaders }: Kind<'http_exchange'>): boolean {
  return headerOf(requestHeaders, 'host') !== undefined
}
