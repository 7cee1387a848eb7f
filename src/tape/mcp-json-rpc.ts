/**
 * Records one MCP call: request without its id, response as the server sent it, both scrubbed, digests over the scrubbed canonical JSON. Nothing
 * is scrubbed or hashed when no recorder is active.
 */
import { canonicalJson, contentHash, type Json, utf8 } from '../base/index.ts'
import { fromDisk, type ScrubbedJson, type Scrubber } from '../scrub/index.ts'
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
  const request = canonicalBytes(scrubber.value(call.request, 'sent'))
  const response = canonicalBytes(scrubber.value(call.response, 'received'))
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

/** Canonical JSON of scrubbed JSON is scrubbed. */
function canonicalBytes(value: ScrubbedJson): ReturnType<typeof fromDisk<Uint8Array>> {
  return fromDisk(utf8(canonicalJson(value)))
}
