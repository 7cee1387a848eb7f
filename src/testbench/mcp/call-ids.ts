/**
 * The names that a client gives its calls, on the tape and in this run: ids, and the tokens under which
 * progress is reported. A client may number differently from run to run; the server's messages are passed on
 * with the names of this run.
 *
 * Decision 0131.
 */
import { fieldsOf, isObject, type Json, JsonScanError, jsonMember } from '../../base/index.ts'
import { messagesOf, type RpcId, type RpcMessage } from './json-rpc.ts'
import { withMember } from './rpc-key.ts'

/** For one call: its id, and its token if it has one. */
export type CallNames = { readonly id: RpcId; readonly token: RpcId | null }

/** The calls among the messages, in order. */
export function callNames(messages: readonly RpcMessage[]): readonly CallNames[] {
  return messages.flatMap((message) => {
    if (message.type !== 'request') return []
    const token = fieldsOf(fieldsOf(message.params)._meta).progressToken
    return [{ id: message.id, token: typeof token === 'string' || typeof token === 'number' ? token : null }]
  })
}

/**
 * A request as JSON without the names that its client gave it, which never make a difference; anything else
 * unchanged.
 */
export function withoutNames(value: Json): Json {
  if (!isObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return value
  const { id: _id, params, ...rest } = value
  if (!isObject(params) || !isObject(params._meta)) return params === undefined ? rest : { ...rest, params }
  const { progressToken: _token, ...meta } = params._meta
  return { ...rest, params: { ...params, _meta: meta } }
}

/**
 * What a client sends, with the names that its calls have on the tape; the original text if they are the
 * same.
 */
export function underRecordedNames(
  text: string,
  messages: readonly RpcMessage[],
  recorded: readonly CallNames[],
  recordedId: (live: RpcId) => RpcId,
): string {
  let call = 0
  const renamed = messages.map((message) => {
    if (message.type === 'response') return message.text
    if (message.type === 'notification') return cancelledAs(message, recordedId)
    const names = recorded[call]
    call += 1
    return names === undefined ? message.text : underNames(message.text, message.id, names)
  })
  if (renamed.every((each, at) => each === messages[at]?.text)) return text
  return /^\s*\[/.test(text) ? `[${renamed.join(',')}]` : (renamed[0] ?? text)
}

function underNames(text: string, id: RpcId, names: CallNames): string {
  const named = id === names.id ? text : withMember(text, 'id', JSON.stringify(names.id))
  const params = names.token === null ? undefined : jsonMember(named, 'params')
  const meta = params === undefined ? undefined : jsonMember(params, '_meta')
  const token = meta === undefined ? undefined : jsonMember(meta, 'progressToken')
  if (
    params === undefined ||
    meta === undefined ||
    token === undefined ||
    token === JSON.stringify(names.token)
  )
    return named
  return withMember(
    named,
    'params',
    withMember(params, '_meta', withMember(meta, 'progressToken', JSON.stringify(names.token))),
  )
}

function cancelledAs(
  message: Extract<RpcMessage, { type: 'notification' }>,
  recordedId: (live: RpcId) => RpcId,
): string {
  const params = message.method === 'notifications/cancelled' ? jsonMember(message.text, 'params') : undefined
  const live = params === undefined ? undefined : jsonMember(params, 'requestId')
  if (params === undefined || live === undefined) return message.text
  const recorded = JSON.stringify(recordedId(JSON.parse(live)))
  return recorded === live
    ? message.text
    : withMember(message.text, 'params', withMember(params, 'requestId', recorded))
}

export class CallIds {
  readonly #live = new Map<RpcId, RpcId>()
  readonly #recorded = new Map<RpcId, RpcId>()
  readonly #tokens = new Map<RpcId, RpcId>()
  readonly #dropped = new Set<RpcId>()
  readonly #droppedTokens = new Set<RpcId>()
  #changed = false

  /** Whether any name differs from the tape. */
  get changed(): boolean {
    return this.#changed
  }

  /** The calls of a message of this run are those of a recorded one, in order. */
  match(recorded: readonly CallNames[], live: readonly CallNames[]): void {
    for (const [at, { id, token }] of live.entries()) {
      const known = recorded[at]
      if (known === undefined) return
      this.#live.set(known.id, id)
      this.#dropped.delete(known.id)
      this.#recorded.set(id, known.id)
      if (known.token !== null && token !== null) this.#tokens.set(known.token, token)
      if (known.id !== id || (known.token !== null && token !== null && known.token !== token))
        this.#changed = true
    }
  }

  /** This run did not make this recorded call: the server's answer to it is dropped. */
  drop({ id, token }: CallNames): void {
    this.#changed = true
    this.#dropped.add(id)
    if (token !== null) this.#droppedTokens.add(token)
  }

  recorded(live: RpcId): RpcId {
    return this.#recorded.get(live) ?? live
  }

  /**
   * A message of the server, or a batch, with the names of this run: the original text if nothing in it
   * changes, empty if it has no receiver.
   */
  rename(text: string): string {
    if (!this.#changed) return text
    const messages = messagesOf(text)
    if (messages === null) return text
    const renamed = messages
      .filter((message) => !this.#isDropped(message))
      .map((message) => this.#renamed(message))
    if (renamed.length === 0) return ''
    if (renamed.length === messages.length && renamed.every((message, at) => message === messages[at]?.text))
      return text
    return /^\s*\[/.test(text) ? `[${renamed.join(',')}]` : (renamed[0] ?? text)
  }

  #isDropped(message: RpcMessage): boolean {
    if (message.type === 'response') return message.id !== null && this.#dropped.has(message.id)
    if (message.type !== 'notification' || message.method !== 'notifications/progress') return false
    const token = fieldsOf(message.params).progressToken
    return (
      (typeof token === 'string' || typeof token === 'number') &&
      this.#droppedTokens.has(token) &&
      !this.#tokens.has(token)
    )
  }

  #renamed(message: RpcMessage): string {
    try {
      if (message.type === 'response' && message.id !== null) {
        const id = this.#live.get(message.id)
        return id === undefined || id === message.id
          ? message.text
          : withMember(message.text, 'id', JSON.stringify(id))
      }
      if (message.type !== 'notification' || message.method !== 'notifications/progress') return message.text
      const token = fieldsOf(message.params).progressToken
      const live =
        typeof token === 'string' || typeof token === 'number' ? this.#tokens.get(token) : undefined
      if (live === undefined || live === token) return message.text
      return withMember(
        message.text,
        'params',
        withMember(jsonMember(message.text, 'params') ?? '{}', 'progressToken', JSON.stringify(live)),
      )
    } catch (error) {
      // Nested too deep: passed on unchanged.
      if (error instanceof JsonScanError) return message.text
      throw error
    }
  }
}
