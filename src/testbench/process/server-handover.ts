/**
 * An MCP server over pipes that a tape served and that a real one takes over. Answers to earlier requests
 * still come from the tape; everything else that the tape has of it is dropped. The real server is sent the
 * program's greeting (`initialize`, then `notifications/initialized`), and its answer is dropped: the program
 * has the recorded one.
 *
 * Decision 0381.
 */
import { label, utf8 } from '../../base/index.ts'
import type { ChildSide, Greeting } from '../../boundaries/child-contract.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { messagesOf, type RpcId, type RpcMessage } from '../mcp/json-rpc.ts'
import { LineStream } from '../mcp/line-stream.ts'
import type { Delivery } from '../session/delivery.ts'

const STDOUT = label('stdout')
const NOTHING = new Uint8Array()

export class ServerHandover {
  readonly #sentLines = new LineStream()
  readonly #receivedLines = new LineStream()
  /** Lines of the greeting, as this run sent them. */
  readonly #greeting: { readonly raw: string; readonly message: RpcMessage }[] = []
  /** Earlier requests that have no answer yet. */
  readonly #waiting = new Set<RpcId>()
  #hasLeft = false
  #isTaken = false

  leave(): void {
    this.#hasLeft = true
  }

  /** Receives what the program sends, and passes the server on once. */
  watched(side: ChildSide): ChildSide {
    return {
      ...side,
      send: (stream, bytes) => {
        if (stream === 'stdin' && !this.#hasLeft) this.#sent(bytes)
        return side.send(stream, bytes)
      },
      takeOver: () => {
        if (!this.#hasLeft || this.#isTaken) return null
        this.#isTaken = true
        return this.#greet()
      },
    }
  }

  /** The part of the tape's deliveries that reaches the program. */
  passed(deliveries: readonly Delivery[]): readonly Delivery[] {
    return deliveries.flatMap((delivery): Delivery[] => {
      const { outcome } = delivery
      const isOutput = outcome.type === 'chunk' && outcome.stream === STDOUT
      if (!this.#hasLeft) {
        for (const each of isOutput ? (delivery.given ?? [outcome]) : []) this.#received(each)
        return [delivery]
      }
      const given = isOutput ? (delivery.given ?? [outcome]) : []
      const text = given.flatMap((each) => this.#received(each)).join('')
      return text === '' ? [] : [{ outcome: { type: 'chunk', stream: STDOUT, bytes: utf8(text) } }]
    })
  }

  #sent(bytes: Uint8Array): void {
    for (const { raw, data } of this.#sentLines.push(bytes))
      for (const message of messagesOf(data) ?? []) {
        if (message.type === 'request') this.#waiting.add(message.id)
        const isGreeting =
          message.type !== 'response' &&
          (message.method === 'initialize' || message.method === 'notifications/initialized')
        if (isGreeting) this.#greeting.push({ raw, message })
      }
  }

  /** The lines that answer an earlier request. */
  #received(outcome: Outcome): string[] {
    if (outcome.type !== 'chunk') return []
    return this.#receivedLines.push(outcome.bytes).flatMap(({ raw, data }) => {
      const answers = (messagesOf(data) ?? []).filter(
        (message) => message.type === 'response' && message.id !== null && this.#waiting.delete(message.id),
      )
      return answers.length > 0 ? [raw] : []
    })
  }

  #greet(): Greeting {
    const [first, ...rest] = this.#greeting
    if (first === undefined || first.message.type !== 'request')
      return { first: NOTHING, answered: (bytes) => ({ send: NOTHING, rest: bytes }) }
    const { id } = first.message
    const lines = new LineStream()
    return {
      first: utf8(first.raw),
      answered(bytes) {
        const found = lines.push(bytes)
        const at = found.findIndex(({ data }) =>
          (messagesOf(data) ?? []).some((message) => message.type === 'response' && message.id === id),
        )
        if (at < 0) return null
        const left = found.slice(at + 1).map(({ raw }) => raw)
        return { send: utf8(rest.map(({ raw }) => raw).join('')), rest: utf8(left.join('') + lines.rest()) }
      },
    }
  }
}
