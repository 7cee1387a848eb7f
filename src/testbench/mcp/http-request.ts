/**
 * Detects whether an HTTP request belongs to MCP, from its content: JSON-RPC with MCP's headers or methods,
 * or a stream of events that may carry such messages. Any host, any path, any client. JSON-RPC of another
 * protocol is left to the network boundary alone.
 */
import { fieldsOf, headerOf, textOrNull } from '../../base/index.ts'
import type { HeaderList } from '../../boundaries/session.ts'
import { messagesOf, type RpcMessage } from './json-rpc.ts'

export type McpHttpRequest = {
  /** Identifies a conversation: the session that a server assigned, or else the address. */
  readonly connection: string
  /** What is posted; nothing for a request that opens or ends a stream. */
  readonly messages: readonly RpcMessage[]
}

type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: HeaderList
  readonly body: Uint8Array | null
}

/** Methods that only MCP has: those of other protocols need a header. */
const METHODS =
  /^(?:ping|server\/discover|(?:tools|resources|prompts|sampling|elicitation)\/[\w/]+|roots\/list|completion\/complete|logging\/setLevel|notifications\/[\w/]+)$/

export function mcpHttpRequest(request: HttpRequest): McpHttpRequest | null {
  const connected = (messages: readonly RpcMessage[]): McpHttpRequest | null =>
    URL.canParse(request.url) ? { connection: connectionOf(request.url, request.headers), messages } : null
  switch (request.method) {
    case 'POST': {
      const messages = request.body === null ? null : messagesIn(request.body)
      return messages !== null && (hasHeader(request.headers) || messages.every(isMcp))
        ? connected(messages)
        : null
    }
    case 'GET':
      return /\btext\/event-stream\b/i.test(headerOf(request.headers, 'accept') ?? '') ? connected([]) : null
    default:
      return null
  }
}

function messagesIn(body: Uint8Array): readonly RpcMessage[] | null {
  if (body[0] !== OPEN_BRACE && body[0] !== OPEN_BRACKET) return null
  const text = textOrNull(body)
  return text === null ? null : messagesOf(text)
}

function hasHeader(headers: HeaderList): boolean {
  return headers.some(([name]) => /^mcp-(?:session-id|protocol-version|method)$/i.test(name))
}

function isMcp(message: RpcMessage): boolean {
  // Only MCP clients post answers.
  if (message.type === 'response') return true
  if (message.method === 'initialize') return typeof fieldsOf(message.params).protocolVersion === 'string'
  return METHODS.test(message.method)
}

export function connectionOf(url: string, headers: HeaderList): string {
  const session = headerOf(headers, 'mcp-session-id')
  if (session !== undefined) return `session ${session}`
  const { origin, pathname, searchParams } = new URL(url)
  const asked = [...searchParams].find(([name]) => /^session_?id$/i.test(name))?.[1]
  return asked === undefined ? `${origin}${pathname}` : `session ${asked}`
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
