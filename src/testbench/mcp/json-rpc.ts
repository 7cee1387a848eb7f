/**
 * JSON-RPC 2.0 messages as MCP uses them. Only its members decide what a message is. Keeps the text, so that
 * every number on the tape, or sent back to a client, keeps its spelling.
 */
import {
  canonicalJsonText,
  fieldsOf,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  JsonScanError,
  jsonItems,
  jsonMember,
  jsonObjectText,
  jsonOf,
  withoutMembers,
} from '../../base/index.ts'

export type RpcId = string | number

export type RpcMessage =
  | {
      readonly type: 'request'
      readonly id: RpcId
      readonly method: string
      readonly params: Json
      readonly text: string
    }
  | { readonly type: 'notification'; readonly method: string; readonly params: Json; readonly text: string }
  /** The id is null if the other side could not read the request. */
  | {
      readonly type: 'response'
      readonly id: RpcId | null
      readonly failed: boolean
      readonly body: JsonObject
      readonly text: string
    }

/** The message of the text, or the messages of a batch; null for anything else. */
export function messagesOf(text: string): readonly RpcMessage[] | null {
  const value = /^\s*[[{]/.test(text) ? messageValue(text) : undefined
  if (isObject(value)) return one(messageOf(value, text))
  if (!Array.isArray(value) || value.length === 0) return null
  const texts = itemsOf(text)
  const messages = value.map((item: Json, at) => (isObject(item) ? messageOf(item, texts[at] ?? '') : null))
  return messages.every((message) => message !== null) ? messages : null
}

/**
 * The depth of its parameters does not matter, unless the text is so long that its value could take
 * gigabytes.
 */
function messageValue(text: string): Json | undefined {
  const value = jsonOf(text)
  if (value !== undefined || text.length > MAX_DEEP_CHARACTERS || !isTooDeep(text)) return value
  try {
    return JSON.parse(text)
  } catch {
    // No JSON, so no message.
    return undefined
  }
}

const MAX_DEEP_CHARACTERS = 1024 * 1024

function one(message: RpcMessage | null): readonly RpcMessage[] | null {
  return message === null ? null : [message]
}

function messageOf(value: JsonObject, text: string): RpcMessage | null {
  if (value.jsonrpc !== '2.0') return null
  const { id, method, params = null } = value
  if (typeof method === 'string') {
    if (isId(id)) return { type: 'request', id, method, params, text }
    return id === undefined || id === null ? { type: 'notification', method, params, text } : null
  }
  const failed = value.error !== undefined
  if (!failed && value.result === undefined) return null
  return id === null || id === undefined || isId(id)
    ? { type: 'response', id: id ?? null, failed, body: value, text }
    : null
}

function isId(id: Json | undefined): id is RpcId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))
}

function itemsOf(text: string): readonly string[] {
  try {
    return jsonItems(text) ?? []
  } catch (error) {
    // Too deep: no message of ours.
    if (error instanceof JsonScanError) return []
    throw error
  }
}

/** A request as it is on a tape: without its id, canonical. */
export function requestText(text: string): string {
  return canonicalJsonText(withoutMembers(text, ['id']))
}

/** The common part of two equal calls: method and params. */
export function matchText(text: string): string {
  return canonicalJsonText(
    jsonObjectText([
      ['method', jsonMember(text, 'method') ?? 'null'],
      ['params', jsonMember(text, 'params') ?? 'null'],
    ]),
  )
}

/** The error with which Reprise answers a call that is not on the tape. The number is Harn's. */
export const NOT_ON_TAPE = -32080

/** Whether a conversation of MCP begins with this text. */
export function greets(text: string): boolean {
  const [first] = messagesOf(text) ?? []
  if (first?.type !== 'request') return false
  if (first.method === 'server/discover') return true
  return first.method === 'initialize' && typeof fieldsOf(first.params).protocolVersion === 'string'
}
