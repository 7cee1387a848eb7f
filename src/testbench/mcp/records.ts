/**
 * Calls and messages as records, by Harn's rules: the request without its id, the answer as the server sent
 * it with its id, both scrubbed and then canonical; a digest is that of the payload.
 */
import { contentHash, type Json, JsonScanError, jsonMember, parseJson } from '../../base/index.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedText, Scrubber, Side } from '../../scrub/index.ts'
import { canonicalScrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'
import type { Kind, TapeRecorder } from '../../tape/index.ts'
import { requestText } from './json-rpc.ts'

export type CallFacts = {
  readonly server: string
  readonly method: string
  /** Messages as text, the request with its id. */
  readonly request: string
  readonly response: string
  readonly latencyMs: number
  readonly wire?: number
  readonly n?: number
}

export function callKind(
  recorder: TapeRecorder,
  scrubber: Scrubber,
  call: CallFacts,
): Scrubbed<Kind<'mcp_json_rpc'>> {
  const request = canonicalBytes(requestText(call.request), scrubber, 'sent')
  const response = canonicalBytes(call.response, scrubber, 'received')
  const id = jsonMember(call.response, 'id') === undefined ? jsonMember(call.request, 'id') : undefined
  return {
    kind: 'mcp_json_rpc',
    server: scrubber.text(call.server, 'received'),
    method: scrubber.text(call.method, 'sent'),
    requestDigest: contentHash(request),
    responseDigest: contentHash(response),
    latencyMs: call.latencyMs,
    requestPayload: recorder.payloadFromBytes(request),
    responsePayload: recorder.payloadFromBytes(response),
    ...(call.wire === undefined ? {} : { wire: call.wire }),
    ...(call.n === undefined ? {} : { n: call.n }),
    ...(id === undefined ? {} : { requestId: scrubber.value<Json>(parseJson(id), 'sent') }),
  }
}

export type MessageFacts = {
  readonly server: string
  readonly direction: 'in' | 'out'
  readonly text: string
  readonly wire?: number
  readonly n?: number
}

export function messageKind(
  recorder: TapeRecorder,
  scrubber: Scrubber,
  message: MessageFacts,
): Scrubbed<Kind<'mcp_message'>> {
  const bytes = canonicalBytes(message.text, scrubber, message.direction === 'out' ? 'sent' : 'received')
  return {
    kind: 'mcp_message',
    server: scrubber.text(message.server, 'received'),
    direction: message.direction,
    message: recorder.payloadFromBytes(bytes),
    ...(message.wire === undefined ? {} : { wire: message.wire }),
    ...(message.n === undefined ? {} : { n: message.n }),
  }
}

/** What a call got instead of an answer, in Harn's words. */
export function noAnswer(message: string): string {
  return JSON.stringify({ error: { message }, jsonrpc: '2.0' })
}

function canonicalBytes(text: string, scrubber: Scrubber, side: Side): ScrubbedBytes {
  return scrubbedUtf8(canonicalOrItself(scrubber.jsonText(text, side)))
}

function canonicalOrItself(text: ScrubbedText): ScrubbedText {
  try {
    return canonicalScrubbedText(text)
  } catch (error) {
    // Nested too deep: kept unchanged.
    if (error instanceof JsonScanError || error instanceof RangeError) return text
    throw error
  }
}
