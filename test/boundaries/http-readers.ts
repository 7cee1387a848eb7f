/** The same bytes read by our HTTP/1 parser and by the llhttp inside Node. */
import { createRequire } from 'node:module'
import {
  requestFraming,
  requestHead,
  responseFraming,
  responseHead,
} from '../../src/boundaries/network/http-heads.ts'
import { MessageParser } from '../../src/boundaries/network/message-parser.ts'
import type { Side } from './http-messages.ts'

type Pairs = (readonly [name: string, value: string])[]
type Message = {
  readonly start: string
  readonly headers: Pairs
  body: string
  trailers: Pairs
  whole: boolean
}
export type Reading = { readonly messages: Message[]; readonly refused: boolean; readonly reason: string }

export function readByOurs(side: Side, pieces: readonly Uint8Array[]): Reading {
  const messages: Message[] = []
  const parser = new MessageParser({
    head(startLine, headers) {
      if (side === 'request') {
        const head = requestHead(startLine, headers)
        if (head === null) return null
        messages.push(begun(`${head.method} ${head.target}`, headers))
        return requestFraming(headers)
      }
      const head = responseHead(startLine, headers)
      if (head === null) return null
      messages.push(begun(`${head.status} ${head.statusText}`, headers))
      return responseFraming('GET', head.status, headers)
    },
    data(bytes) {
      addBody(messages, bytes)
    },
    end(trailers) {
      finish(messages, trailers)
    },
  })
  const refused = pieces.some((piece) => parser.push(piece) !== null)
  const isCut = !refused && parser.close().type === 'cut'
  return { messages, refused, reason: isCut ? 'cut' : '' }
}

type Callback = 'kOnHeaders' | 'kOnHeadersComplete' | 'kOnBody' | 'kOnMessageComplete'
type Llhttp = {
  initialize(type: number, resource: object): void
  execute(bytes: Uint8Array): number | Error
  finish(): Error | undefined
  [callback: number]: (...args: never[]) => unknown
}
const { HTTPParser, methods } = createRequire(import.meta.url)('node:_http_common') as {
  readonly HTTPParser: (new () => Llhttp) & Record<'REQUEST' | 'RESPONSE' | Callback, number>
  readonly methods: readonly string[]
}

export function readByNode(side: Side, pieces: readonly Uint8Array[]): Reading {
  const messages: Message[] = []
  /** Node passes on every 32 headers, and the rest of them with the head or the end. */
  let flushed: string[] = []
  let target = ''
  const parser = new HTTPParser()
  parser.initialize(side === 'request' ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {})
  parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
    flushed.push(...headers)
    target += url
  }
  parser[HTTPParser.kOnHeadersComplete] = (
    _major: number,
    _minor: number,
    headers: string[] | undefined,
    method: number,
    url: string | undefined,
    status: number,
    text: string,
  ) => {
    const all = pairs([...flushed, ...(headers ?? [])])
    flushed = []
    messages.push(
      begun(side === 'request' ? `${methods[method]} ${target}${url ?? ''}` : `${status} ${text}`, all),
    )
    target = ''
    return 0
  }
  parser[HTTPParser.kOnBody] = (bytes: Uint8Array) => addBody(messages, bytes)
  parser[HTTPParser.kOnMessageComplete] = () => {
    finish(messages, pairs(flushed))
    flushed = []
    // The trailers came with the target again.
    target = ''
  }
  let reason = ''
  const refused = pieces.some((piece) => {
    const result = parser.execute(piece)
    if (typeof result !== 'number') reason = String(Reflect.get(result, 'reason'))
    return typeof result !== 'number'
  })
  if (!refused) parser.finish()
  return { messages, refused, reason }
}

function begun(start: string, headers: Iterable<readonly [string, string]>): Message {
  return {
    start: start.trimEnd(),
    headers: [...headers].map(([name, value]) => [name, value]),
    body: '',
    trailers: [],
    whole: false,
  }
}

function addBody(messages: readonly Message[], bytes: Uint8Array): void {
  const last = messages.at(-1)
  if (last !== undefined) last.body += Buffer.from(bytes).toString('latin1')
}

function finish(messages: readonly Message[], trailers: Iterable<readonly [string, string]>): void {
  const last = messages.at(-1)
  if (last === undefined) return
  last.trailers = [...trailers].map(([name, value]) => [name, value])
  last.whole = true
}

function pairs(flat: readonly string[]): Pairs {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
}
