/**
 * Calls of MCP from a foreign tape. A call matches a record if method and params are equal; the answer has
 * the id of the call. `initialize` is answered from the tape if it has such a record, whatever the client
 * sends. Without one it gets the smallest answer that the protocol allows: Harn's tapes may not have it.
 */
import { fieldsOf, isObject, type Json, type JsonObject, jsonOf, textOrNull } from '../../../base/index.ts'
import type { TapePayloads } from '../../../tape/tape-payloads.ts'
import type { RpcMessage } from '../../mcp/json-rpc.ts'
import { rpcKey } from '../../mcp/rpc-key.ts'
import { type ForeignOf, type ForeignRecord, isKind } from './foreign-records.ts'
import { orNull } from './missing-payload.ts'

export type McpCall = Extract<RpcMessage, { readonly type: 'request' }>

export function isMcpCall(record: ForeignRecord, call: McpCall, payloads: TapePayloads): boolean {
  if (!isKind(record, 'mcp_json_rpc') || record.kind.method !== call.method) return false
  if (isGreeting(call)) return true
  const bytes = orNull(() => payloads(record.kind.requestPayload))
  const text = bytes === null ? null : textOrNull(bytes)
  // Without the request only the method can be compared.
  if (text === null) return true
  return keyOf({ ...call, text }) === keyOf(call)
}

/** The answer with the id of the call; null if the payload is missing. */
export function mcpAnswer(
  record: ForeignOf<'mcp_json_rpc'>,
  { id }: McpCall,
  payloads: TapePayloads,
): string | null {
  const bytes = orNull(() => payloads(record.kind.responsePayload))
  const value = bytes === null ? undefined : jsonOf(textOrNull(bytes) ?? '')
  return isObject(value)
    ? JSON.stringify({ ...value, id, ...(isObject(value.error) ? { error: withCode(value.error) } : {}) })
    : null
}

export function isGreeting({ method }: McpCall): boolean {
  return method === 'initialize'
}

export function greetingAnswer({ id, params }: McpCall, server: string): string {
  const protocolVersion: Json = fieldsOf(params).protocolVersion ?? '2025-03-26'
  const result = {
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: server, version: '0' },
  }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

/** A failure of the transport has a message and no code; clients need one. */
const TRANSPORT_FAILED = -32000

export function withCode(error: JsonObject): JsonObject {
  return { code: TRANSPORT_FAILED, ...error }
}

/** No params are the same as empty ones. */
function keyOf(call: McpCall): string {
  return rpcKey(call).replace(/"params":null\}$/, '"params":{}}')
}
