/**
 * The file system server speaks over its pipes only; this hands every message on to and from a port, by the
 * SDK's own streamable HTTP.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const [server, folder] = process.argv.slice(2)
const pipes = new StdioClientTransport({
  command: process.execPath,
  args: [server, folder],
  stderr: 'ignore',
})
const http = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
// What the server says by itself needs the client's own stream, which is opened only after the greeting.
let waiting = []
http.onmessage = (message) => pipes.send(message)
pipes.onmessage = (message) =>
  'method' in message && waiting !== null ? waiting.push(message) : http.send(message)
await http.start()
await pipes.start()
const listening = createServer((request, response) => {
  http.handleRequest(request, response)
  if (request.method === 'GET') whenItStands(response)
}).listen(0, '127.0.0.1', () => console.log(`on port ${listening.address().port}`))

function whenItStands(response) {
  if (!response.headersSent) return setImmediate(whenItStands, response)
  const held = waiting ?? []
  waiting = null
  for (const message of held) http.send(message)
}
