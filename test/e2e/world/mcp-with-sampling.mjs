/**
 * Talks to an MCP server that talks back: notifications, progress, sampling, roots, a call that fails, a call
 * that is cancelled.
 */
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

const client = new Client(
  { name: 'asker', version: '1.0.0' },
  { capabilities: { sampling: {}, roots: { listChanged: true } } },
)
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
  console.log('log', params.data),
)
client.setNotificationHandler(ToolListChangedNotificationSchema, () => console.log('tools changed'))
client.setRequestHandler(ListRootsRequestSchema, () => ({
  roots: [{ uri: 'file:///somewhere', name: 'here' }],
}))
client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
  console.log('asked', params.messages[0].content.text)
  return {
    model: 'me',
    role: 'assistant',
    content: { type: 'text', text: `word ${Math.random().toString(36).slice(2)}` },
  }
})
const server = fileURLToPath(new URL('./talkative-server.mjs', import.meta.url))
const transport = new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'pipe' })
transport.stderr?.on('data', (data) => console.log('stderr', String(data).trim()))
await client.connect(transport)
console.log(
  client.getServerVersion(),
  (await client.listTools()).tools.map(({ name }) => name),
)
const onprogress = ({ progress, total }) => console.log('progress', progress, total)
const said = ({ content, isError }) => `${isError === true ? 'error ' : ''}${content[0].text}`
console.log(said(await client.callTool({ name: 'work' }, undefined, { onprogress })))
const [one, two] = await Promise.all([client.callTool({ name: 'work' }), client.callTool({ name: 'ask' })])
console.log(said(one), said(two))
await client.callTool({ name: 'fail' }).catch((error) => console.log(error.code, error.message))
const aborter = new AbortController()
setTimeout(() => aborter.abort('enough'), 10)
await client
  .callTool({ name: 'for-ever' }, undefined, { signal: aborter.signal })
  .catch((error) => console.log('cancelled', String(error)))
await client.close()
console.log('closed')
