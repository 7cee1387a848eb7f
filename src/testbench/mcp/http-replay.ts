/**
 * MCP over HTTP in a replay: remembers which call of this run is which call on the tape, passes the server's
 * messages on under the names of this run, and answers what is not on the tape with an error of its own. With
 * the ids of the recording every byte and every cut is as it was.
 *
 * Decision 0132.
 */

import type { ServerEvent } from '../../base/event-stream.ts'
import { headerOf, textOrNull, utf8 } from '../../base/index.ts'
import type { HeaderList, Outcome } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { decodedBody } from '../records/decoded-body.ts'
import { CallIds, type CallNames, callNames } from './call-ids.ts'
import { connectionOf, type McpHttpRequest } from './http-request.ts'
import type { RpcId } from './json-rpc.ts'
import { errorAnswers, httpAccepted, httpRefusal } from './refusal.ts'
import { type RenamedStream, renamedEvents } from './renamed-stream.ts'

export type McpReplay = {
  /** The id that a call of this run has on the tape. */
  recordedId(connection: string, live: RpcId): RpcId
  /** The request is recorded effect `effect`; `recorded` are the names of its calls there. */
  matched(effect: number, request: McpHttpRequest, url: string, recorded: readonly CallNames[]): void
  /**
   * What the effect delivers, with the ids of this run. `body` returns the whole recorded body of its answer.
   */
  renamed(effect: number, outcomes: Outcome[], body: () => Uint8Array): Outcome[]
  /** What a request that is not on the tape is answered with; null if it does not belong to MCP. */
  refuse(request: McpHttpRequest | null, divergence: Divergence): Refusal | null
  forget(effect: number): void
}

type Refusal = {
  /** The answer to the request itself. */
  readonly own: readonly Outcome[]
  /** What is delivered over the stream of another effect, where that one carries the answers. */
  readonly over: { readonly effect: number; readonly outcome: Outcome } | null
}

type Exchange = {
  readonly url: string
  connection: string
  answer:
    | { readonly type: 'as it is' }
    | { readonly type: 'stream'; readonly stream: RenamedStream<ServerEvent> }
    | { readonly type: 'whole'; readonly bytes: Uint8Array }
  /** To be sent between two events, as soon as possible. */
  readonly toDeliver: Uint8Array[]
}

export function createMcpReplay(): McpReplay {
  const connections = new Map<string, CallIds>()
  const exchanges = new Map<number, Exchange>()
  /** The stream that carries the answers to what is posted elsewhere, by connection. */
  const carriers = new Map<string, number>()

  const idsOf = (connection: string): CallIds => {
    const known = connections.get(connection) ?? new CallIds()
    connections.set(connection, known)
    return known
  }

  const begin = (exchange: Exchange, headers: HeaderList, body: () => Uint8Array): HeaderList => {
    const ids = idsOf(exchange.connection)
    const session = headerOf(headers, 'mcp-session-id')
    if (session !== undefined) connections.set(`session ${session}`, ids)
    const encoding = headerOf(headers, 'content-encoding') ?? ''
    if (encoding === '' && /^\s*text\/event-stream\b/i.test(headerOf(headers, 'content-type') ?? '')) {
      exchange.answer = { type: 'stream', stream: renamedEvents() }
      return headers
    }
    if (!ids.changed) return headers
    const bytes = renamedBody(body(), encoding, ids)
    exchange.answer = { type: 'whole', bytes }
    return headers
      .filter(([name]) => name.toLowerCase() !== 'content-encoding')
      .map(
        ([name, value]) =>
          [name, name.toLowerCase() === 'content-length' ? String(bytes.byteLength) : value] as const,
      )
  }

  const push = (
    effect: number,
    exchange: Exchange,
    stream: RenamedStream<ServerEvent>,
    bytes: Uint8Array,
  ): Uint8Array => {
    const renamed = stream.push(bytes, connections.get(exchange.connection) ?? null, ({ event, data }) => {
      if (event !== 'endpoint' || !URL.canParse(data, exchange.url)) return
      exchange.connection = connectionOf(new URL(data, exchange.url).href, [])
      carriers.set(exchange.connection, effect)
    })
    return exchange.toDeliver.length > 0 && stream.isBetween
      ? Buffer.concat([renamed, ...exchange.toDeliver.splice(0)])
      : renamed
  }

  const renameOne = (
    effect: number,
    exchange: Exchange,
    outcome: Outcome,
    body: () => Uint8Array,
  ): Outcome[] => {
    const { answer } = exchange
    if (outcome.type === 'head') return [{ ...outcome, headers: begin(exchange, outcome.headers, body) }]
    switch (answer.type) {
      case 'as it is':
        return [outcome]
      case 'stream':
        if (outcome.type === 'chunk') return chunk(push(effect, exchange, answer.stream, outcome.bytes))
        return [...chunk(answer.stream.rest()), outcome]
      case 'whole':
        return outcome.type === 'chunk' ? [] : [...chunk(answer.bytes), outcome]
    }
  }

  /**
   * Sends a text over a stream: at once if it is between two events, else at the end of the one that has
   * begun.
   */
  const deliver = (effect: number, exchange: Exchange, text: string): Refusal['over'] => {
    const bytes = utf8(text)
    if (exchange.answer.type === 'stream' && exchange.answer.stream.isBetween)
      return { effect, outcome: { type: 'chunk', bytes } }
    exchange.toDeliver.push(bytes)
    return null
  }

  return {
    recordedId: (connection, live) => connections.get(connection)?.recorded(live) ?? live,
    matched(effect, request, url, recorded) {
      // A client that greets begins to count anew.
      if (request.messages.some((message) => message.type === 'request' && message.method === 'initialize'))
        connections.delete(request.connection)
      idsOf(request.connection).match(recorded, callNames(request.messages))
      exchanges.set(effect, {
        url,
        connection: request.connection,
        answer: { type: 'as it is' },
        toDeliver: [],
      })
    },
    renamed(effect, outcomes, body) {
      const exchange = exchanges.get(effect)
      return exchange === undefined
        ? outcomes
        : outcomes.flatMap((outcome) => renameOne(effect, exchange, outcome, body))
    },
    refuse(request, divergence) {
      if (request === null || request.messages.length === 0) return null
      const carrier = carriers.get(request.connection)
      const stream = carrier === undefined ? undefined : exchanges.get(carrier)
      const answers = errorAnswers(request.messages, divergence)
      if (carrier === undefined || stream === undefined || answers.length === 0)
        return { own: httpRefusal(request.messages, divergence), over: null }
      const events = answers.map((answer) => `event: message\ndata: ${answer}\n\n`).join('')
      return { own: httpAccepted(), over: deliver(carrier, stream, events) }
    },
    forget: (effect) => void exchanges.delete(effect),
  }
}

function chunk(bytes: Uint8Array): Outcome[] {
  return bytes.byteLength === 0 ? [] : [{ type: 'chunk', bytes }]
}

function renamedBody(bytes: Uint8Array, encoding: string, ids: CallIds): Uint8Array {
  const text = textOrNull(decodedBody(bytes, encoding)) ?? ''
  if (/^\s*[[{]/.test(text)) return utf8(ids.rename(text))
  const stream = renamedEvents()
  return Buffer.concat([stream.push(utf8(text), ids), stream.rest()])
}
