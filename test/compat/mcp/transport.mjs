/** The transport that the test asks for: a server that is started here, or one that listens. */
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export function transportOf(kind, serverArguments) {
  if (kind === 'stdio')
    return new StdioClientTransport({ command: process.execPath, args: serverArguments, stderr: 'ignore' })
  const url = new URL(process.env.MCP_SERVER)
  return kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
}
