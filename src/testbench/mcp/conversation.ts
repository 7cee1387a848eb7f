/**
 * Follows the messages of one client and one server while they are recorded, over any transport. A call
 * writes an `mcp_json_rpc` when it is answered; every other message an `mcp_message` when it is sent. The
 * server is named by its own name, and until it is known by the command that started it.
 *
 * Decision 0130.
 */
import { fieldsOf, textOf } from '../../base/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { RpcId, RpcMessage } from './json-rpc.ts'
import { type CallFacts, callKind, messageKind, noAnswer } from './records.ts'

type Pending = {
  readonly message: Extract<RpcMessage, { type: 'request' }>
  readonly wire: number
  readonly n: number
  readonly atMs: number
}

/** Calls that are never answered are not remembered forever. */
const MAX_PENDING = 10_000

export class Conversation {
  readonly #recorder: TapeRecorder
  readonly #scrubber: Scrubber
  readonly #pending = new Map<RpcId, Pending>()
  #server: string

  constructor(recorder: TapeRecorder, scrubber: Scrubber, startedAs: string) {
    this.#recorder = recorder
    this.#scrubber = scrubber
    this.#server = startedAs
  }

  /** A message of the client: the n-th that effect `wire` carries. */
  sent(message: RpcMessage, wire: number, n: number, atMs: number): void {
    if (message.type === 'request') {
      // A client that uses an id twice gets ambiguous answers: the older call is closed.
      this.#lose(message.id, 'the client used its id for another call', atMs)
      if (this.#pending.size < MAX_PENDING) this.#pending.set(message.id, { message, wire, n, atMs })
      return
    }
    this.#message('out', message.text, wire, n)
    if (message.type === 'notification' && message.method === 'notifications/cancelled') {
      const id = fieldsOf(message.params).requestId
      if (typeof id === 'string' || typeof id === 'number') this.#lose(id, 'cancelled by the client', atMs)
    }
  }

  /** A message of the server, carried by effect `wire`. */
  received(message: RpcMessage, wire: number, atMs: number): void {
    const call =
      message.type === 'response' && message.id !== null ? this.#pending.get(message.id) : undefined
    if (message.type !== 'response' || message.id === null || call === undefined) {
      this.#message('in', message.text, wire)
      return
    }
    this.#pending.delete(message.id)
    if (isGreeting(call.message.method))
      this.#server = textOf(fieldsOf(fieldsOf(message.body.result).serverInfo).name) || this.#server
    this.#call(call, message.text, atMs)
  }

  /** Calls that the effect carried, or all of them, will not be answered any more. */
  lost(reason: string, atMs: number, wire?: number): void {
    for (const [id, pending] of [...this.#pending])
      if (wire === undefined || pending.wire === wire) this.#lose(id, reason, atMs)
  }

  #lose(id: RpcId, reason: string, atMs: number): void {
    const call = this.#pending.get(id)
    if (call === undefined) return
    this.#pending.delete(id)
    this.#call(call, noAnswer(reason), atMs)
  }

  #call({ message, wire, n, atMs }: Pending, response: string, nowMs: number): void {
    const facts: CallFacts = {
      server: this.#server,
      method: message.method,
      request: message.text,
      response,
      latencyMs: Math.max(0, Math.trunc(nowMs - atMs)),
      wire,
      n,
    }
    const before = this.#scrubber.hits
    const kind = callKind(this.#recorder, this.#scrubber, facts)
    this.#recorder.record(kind, this.#scrubber.hits - before)
  }

  #message(direction: 'in' | 'out', text: string, wire: number, n?: number): void {
    const before = this.#scrubber.hits
    const kind = messageKind(this.#recorder, this.#scrubber, {
      server: this.#server,
      direction,
      text,
      wire,
      ...(n === undefined ? {} : { n }),
    })
    this.#recorder.record(kind, this.#scrubber.hits - before)
  }
}

/** Methods whose answer names the server. */
function isGreeting(method: string): boolean {
  return method === 'initialize' || method === 'server/discover'
}
