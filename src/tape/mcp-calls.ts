/**
 * The calls of MCP servers on a tape, one line each: server, tool, duration, and whether it
 * went wrong. For showing.
 */
import { fieldsOf, type Json, jsonOf } from '../base/index.ts'
import type { Payload } from './fields.ts'
import type { Kind } from './kinds.ts'

export type McpCallLine = {
  readonly seq: number
  readonly server: string
  readonly method: string
  /** The tool, prompt or resource; null where the request does not name one, or is too large to be parsed. */
  readonly name: string | null
  readonly latency_ms: number
  /** What the server gave: a result, an error, or a result that a tool calls an error. */
  readonly outcome: 'result' | 'error' | 'tool error' | 'unknown'
}

export function mcpCallLine(seq: number, kind: Kind<'mcp_json_rpc'>): McpCallLine {
  const params = fieldsOf(fieldsOf(inlineJson(kind.requestPayload)).params)
  const name = [params.name, params.uri].find((value) => typeof value === 'string')
  return {
    seq,
    server: kind.server,
    method: kind.method,
    name: typeof name === 'string' ? name.slice(0, 200) : null,
    latency_ms: kind.latencyMs,
    outcome: outcomeOf(kind.responsePayload),
  }
}

function outcomeOf(payload: Payload): McpCallLine['outcome'] {
  const answer = fieldsOf(inlineJson(payload))
  if (answer.error !== undefined) return 'error'
  if (answer.result === undefined) return 'unknown'
  return fieldsOf(answer.result).isError === true ? 'tool error' : 'result'
}

function inlineJson(payload: Payload): Json | undefined {
  return payload.form === 'inline' ? jsonOf(payload.text) : undefined
}
