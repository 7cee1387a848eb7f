/**
 * Harn's MCP cassette: one JSON document with the messages of one client to one server, in order, each with
 * its answer and digests of both.
 *
 * The reader trusts nothing: a wrong type, a newer version, text that is no JSON or is nested too deep is an
 * error with its position. Digests are computed again; those in the file are only compared, and a difference
 * is reported. The writer produces Harn's exact bytes.
 */
import {
  canonicalJsonText,
  contentHash,
  isUtf8,
  JsonScanError,
  jsonItems,
  jsonMember,
  jsonMembers,
  jsonObjectText,
  parseJson,
  utf8,
  withoutMembers,
} from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import type { McpInteraction } from './interaction.ts'
import { matchText } from './json-rpc.ts'
import { prettyJson } from './pretty-json.ts'
import { toolMetadata } from './tool-metadata.ts'

const MCP_CASSETTE_VERSION = 1
const PROTOCOL = 'mcp-jsonrpc-stdio'

export type McpCassette = {
  readonly interactions: readonly McpInteraction[]
  /** Interactions, by their position in the list, whose digest does not match their content. */
  readonly wrongDigests: readonly number[]
}

export function readMcpCassette(bytes: Uint8Array, path: string): McpCassette {
  try {
    if (!isUtf8(bytes)) throw invalid(path, 'it is not UTF-8')
    const text = Buffer.from(bytes).toString('utf8')
    if (jsonMembers(text) === null) throw invalid(path, 'expected an object')
    refuseNewer(text, path)
    const list = jsonMember(text, 'interactions') ?? '[]'
    const items = jsonItems(list)
    if (items === null) throw invalid(path, 'interactions: expected a list')
    const read = items.map((item, at) => readInteraction(item, `interactions[${at}]`, path))
    return {
      interactions: read.map(({ interaction }) => interaction),
      wrongDigests: read.flatMap(({ agrees }, at) => (agrees ? [] : [at])),
    }
  } catch (error) {
    if (error instanceof JsonScanError) throw invalid(path, error.message)
    throw error
  }
}

function refuseNewer(text: string, path: string): void {
  const declared = jsonMember(text, 'schema_version') ?? String(MCP_CASSETTE_VERSION)
  if (!/^\d{1,9}$/.test(declared)) throw invalid(path, 'schema_version: expected a number')
  if (Number(declared) <= MCP_CASSETTE_VERSION) return
  throw new RepriseError(
    'mcp-cassette-version',
    `${path} is an MCP cassette of version ${declared}; this one reads up to ${MCP_CASSETTE_VERSION}`,
    {
      details: { path, version: Number(declared) },
      hint: 'use a newer Reprise, or write the cassette again',
    },
  )
}

function readInteraction(
  text: string,
  place: string,
  path: string,
): { readonly interaction: McpInteraction; readonly agrees: boolean } {
  const fail = (what: string): RepriseError => invalid(path, `${place}${what}`)
  if (jsonMembers(text) === null) throw fail(': expected an object')
  const method = stringMember(text, 'method', fail)
  const request = jsonMember(text, 'request')
  if (request === undefined || jsonMembers(request) === null) throw fail('.request: expected an object')
  const response = jsonMember(text, 'response') ?? 'null'
  if (response !== 'null' && jsonMembers(response) === null)
    throw fail('.response: expected an object or null')
  const latency = jsonMember(text, 'latency_ms') ?? '0'
  if (!/^\d{1,15}$/.test(latency)) throw fail('.latency_ms: expected a whole number')
  const notification = jsonMember(text, 'notification') ?? 'false'
  if (notification !== 'true' && notification !== 'false') throw fail('.notification: expected true or false')
  if (notification === 'false' && response === 'null') throw fail('.response: a call needs an answer')
  const interaction = {
    server: null,
    method,
    notification: notification === 'true',
    request,
    response: notification === 'true' ? null : response,
    latencyMs: Number(latency),
  }
  const digests = digestsOf(interaction)
  const agrees = Object.entries(digests).every(([name, digest]) => {
    const declared = jsonMember(text, name)
    return declared === undefined || declared === JSON.stringify(digest)
  })
  return { interaction, agrees }
}

function stringMember(text: string, name: string, fail: (what: string) => RepriseError): string {
  const value: unknown = parseJson(jsonMember(text, name) ?? 'null')
  if (typeof value !== 'string') throw fail(`.${name}: expected a string`)
  return value
}

function invalid(path: string, what: string): RepriseError {
  return new RepriseError('mcp-cassette-invalid', `${path} is no MCP cassette: ${what}`, {
    details: { path },
    hint: 'docs/format/mcp-cassette.md describes the file',
  })
}

/** The document as Harn writes it, with a newline at its end. */
export function writeMcpCassette(interactions: readonly McpInteraction[]): string {
  const list = interactions.map((interaction, seq) => interactionText(interaction, seq))
  return `${prettyJson(`{"schema_version":${MCP_CASSETTE_VERSION},"protocol":"${PROTOCOL}","interactions":[${list.join(',')}]}`)}\n`
}

function interactionText(interaction: McpInteraction, seq: number): string {
  const { match_digest, request_digest, response_digest } = digestsOf(interaction)
  const response = interaction.response === null ? 'null' : canonicalJsonText(interaction.response)
  const metadata = interaction.method === 'tools/list' ? toolMetadata(response) : []
  const structured =
    interaction.method === 'tools/call'
      ? jsonMember(memberOrNull(response, 'result'), 'structuredContent')
      : undefined
  return jsonObjectText([
    ['seq', String(seq)],
    ['method', JSON.stringify(interaction.method)],
    ...(interaction.notification ? [['notification', 'true'] as const] : []),
    ['match_digest', JSON.stringify(match_digest)],
    ['request_digest', JSON.stringify(request_digest)],
    ['response_digest', JSON.stringify(response_digest)],
    ['latency_ms', String(interaction.latencyMs)],
    ['request', canonicalJsonText(interaction.request)],
    ['response', response],
    ...(metadata.length === 0 ? [] : [['tool_metadata', `[${metadata.join(',')}]`] as const]),
    ...(structured === undefined ? [] : [['structured_content', structured] as const]),
  ])
}

function digestsOf({ request, response }: McpInteraction) {
  return {
    match_digest: jsonDigest(matchText(request)),
    request_digest: jsonDigest(withoutMembers(request, ['id'])),
    response_digest: jsonDigest(withoutMembers(response ?? 'null', ['id'])),
  }
}

/** BLAKE3 of the canonical text, in Harn's spelling. */
export function jsonDigest(text: string): string {
  return `blake3:${contentHash(utf8(canonicalJsonText(text)))}`
}

function memberOrNull(text: string, name: string): string {
  return jsonMember(text, name) ?? 'null'
}
