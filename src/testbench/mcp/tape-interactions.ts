/**
 * The messages of the clients on a tape, each with its answer, in the order in which they were sent. Calls
 * are written when they are answered; `wire` and `n` give the order of sending. A tape without those (Harn's)
 * is read in its own order.
 */
import { JsonScanError, jsonMember, jsonMembers, textOrNull } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { type Payload, readTapeEvents } from '../../tape/index.ts'
import { tapePayloads } from '../../tape/tape-payloads.ts'
import type { McpInteraction } from './interaction.ts'
import { messagesOf } from './json-rpc.ts'

type Placed = McpInteraction & { readonly server: string; readonly wire: number | null; readonly n: number }

export type TapeInteractions = {
  readonly interactions: readonly (McpInteraction & { readonly server: string })[]
  /**
   * The server of each other message: those that servers sent on their own, and the clients' answers to them.
   */
  readonly others: readonly string[]
}

/** Stops at damage: an exported file must be made from a whole tape. */
export function tapeInteractions(path: string): TapeInteractions {
  const resolve = tapePayloads(path)
  const found: Placed[] = []
  const others: string[] = []
  for (const event of readTapeEvents(path)) {
    if (event.type === 'damage') throw damaged(path, event.damage.line)
    if (event.type !== 'record') continue
    const text = (payload: Payload): string => messageText(resolve(payload), path, event.line)
    const { kind } = event.record
    if (kind.kind === 'mcp_json_rpc') {
      const { server, method, latencyMs } = kind
      const response = text(kind.responsePayload)
      const id = kind.requestId === undefined ? jsonMember(response, 'id') : JSON.stringify(kind.requestId)
      const request = withId(text(kind.requestPayload), id ?? 'null')
      found.push({
        server,
        method,
        notification: false,
        request,
        response,
        latencyMs,
        wire: kind.wire ?? null,
        n: kind.n ?? 0,
      })
    }
    if (kind.kind === 'mcp_message') {
      const { server } = kind
      const request = text(kind.message)
      const [message] = kind.direction === 'out' ? (messagesOf(request) ?? []) : []
      if (message?.type !== 'notification') others.push(server)
      else {
        const { method } = message
        found.push({
          server,
          method,
          notification: true,
          request,
          response: null,
          latencyMs: 0,
          wire: kind.wire ?? null,
          n: kind.n ?? 0,
        })
      }
    }
  }
  const placed = found.every(({ wire }) => wire !== null)
    ? found.toSorted((a, b) => (a.wire ?? 0) - (b.wire ?? 0) || a.n - b.n)
    : found
  return { interactions: placed.map(({ wire: _wire, n: _n, ...interaction }) => interaction), others }
}

function withId(request: string, id: string): string {
  const rest = request.replace(/^\s*\{/, '')
  return jsonMember(request, 'id') === undefined
    ? `{"id":${id}${/^\s*\}/.test(rest) ? '' : ','}${rest}`
    : request
}

function damaged(path: string, line: number): RepriseError {
  return new RepriseError('tape-line-damaged', `${path}: line ${line} is damaged`, {
    details: { path, line },
    hint: 'mend it with reprise repair',
  })
}

function messageText(bytes: Uint8Array, path: string, line: number): string {
  try {
    const text = textOrNull(bytes) ?? ''
    if (jsonMembers(text) !== null) return text
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error
  }
  throw new RepriseError(
    'tape-record-invalid',
    `${path}: line ${line} holds a message that is no JSON object`,
    {
      details: { path, line },
      hint: 'check the tape with reprise verify',
    },
  )
}
