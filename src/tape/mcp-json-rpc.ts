/**
 * Records one MCP call: request without its id, response as the server sent it, both scrubbed, digests over
 * the scrubbed canonical JSON. Nothing is scrubbed or hashed when no recorder is active.
 */
import { contentHash, type Json } from '../base/index.ts'
import type { Scrubber } from '../scrub/index.ts'
import { canonicalScrubbed, scrubbedUtf8 } from '../scrub/scrubbed-parts.ts'
import { activeRecorder } from './active-recorder.ts'

export type McpCall = {
  readonly server: string
  readonly method: string
  readonly request: Json
  readonly response: Json
  readonly latencyMs: number
}

export function recordMcpJsonRpc(call: McpCall, scrubber: Scrubber): void {
  const recorder = activeRecorder()
  if (recorder === null) return
  const before = scrubber.hits
  const request = scrubbedUtf8(canonicalScrubbed(scrubber.value(call.request, 'sent')))
  const response = scrubbedUtf8(canonicalScrubbed(scrubber.value(call.response, 'received')))
  const server = scrubber.text(call.server, 'sent')
  const method = scrubber.text(call.method, 'sent')
  recorder.record(
    {
      kind: 'mcp_json_rpc',
      server,
      method,
      requestDigest: contentHash(request),
      responseDigest: contentHash(response),
      latencyMs: call.latencyMs,
      requestPayload: recorder.payloadFromBytes(request),
      responsePayload: recorder.payloadFromBytes(response),
    },
    scrubber.hits - before,
  )
}
