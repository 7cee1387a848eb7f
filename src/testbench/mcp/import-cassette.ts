/**
 * A cassette as a tape: each call an `mcp_json_rpc`, each notification an `mcp_message`. Everything passes
 * the scrubber, and digests are those of the written text. The times are the latencies of the cassette, one
 * after the other; it has no others.
 */
import { jsonMember, jsonOf, textOf } from '../../base/index.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { createStreamingRecorder, TapeWriter } from '../../tape/index.ts'
import { createScrubbedHeader } from '../../tape/scrubbed-header.ts'
import type { McpInteraction } from './interaction.ts'
import { callKind, messageKind } from './records.ts'

export type ImportOptions = {
  readonly out: string
  readonly force: boolean
  readonly scrubber: Scrubber
  readonly server?: string
}

/** Returns the number of records. */
export function importMcpCassette(
  interactions: readonly McpInteraction[],
  { out, force, scrubber, server }: ImportOptions,
): number {
  const name = server ?? serverNameOf(interactions) ?? 'mcp'
  let passedMs = 0
  const header = createScrubbedHeader(
    { boundaries: { mcp: { mode: 'record', source: 'mcp-cassette' } }, startedAtUnixMs: 0 },
    scrubber,
  )
  using writer = TapeWriter.open(out, header, { force })
  const recorder = createStreamingRecorder(writer, { now: () => passedMs, monotonicMs: () => passedMs })
  const write = (kind: Parameters<typeof recorder.record>[0], before: number): void =>
    void recorder.record(kind, scrubber.hits - before)
  for (const { method, request, response, latencyMs } of interactions) {
    passedMs += latencyMs
    const before = scrubber.hits
    if (response === null)
      write(messageKind(recorder, scrubber, { server: name, direction: 'out', text: request }), before)
    else write(callKind(recorder, scrubber, { server: name, method, request, response, latencyMs }), before)
  }
  writer.close({ boundaries: { mcp: 'captured' } })
  return interactions.length
}

/** The server's own name in its greeting. */
export function serverNameOf(interactions: readonly McpInteraction[]): string | null {
  for (const { method, response } of interactions) {
    if (response === null || (method !== 'initialize' && method !== 'server/discover')) continue
    const named = jsonMember(
      jsonMember(jsonMember(response, 'result') ?? 'null', 'serverInfo') ?? 'null',
      'name',
    )
    const name = named === undefined ? null : textOf(jsonOf(named))
    if (name !== null && name !== '') return name
  }
  return null
}
