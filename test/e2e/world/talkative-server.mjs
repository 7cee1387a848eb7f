/**
 * An MCP server that asks back: progress, log messages, a changed list of tools, sampling, elicitation and
 * roots in the middle of a call.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const server = new Server(
  { name: 'talkative', version: '2.1.0' },
  { capabilities: { logging: {}, tools: { listChanged: true } } },
)
const tool = (name) => ({ name, inputSchema: { type: 'object' } })
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const wait = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => resolve(clearTimeout(timer)))
  })

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: ['work', 'ask', 'fail', 'for-ever'].map(tool),
}))
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification, signal }) => {
  const progressToken = params._meta?.progressToken
  switch (params.name) {
    case 'work':
      for (let progress = 1; progress <= 5; progress += 1) {
        if (progressToken !== undefined)
          await sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 5 },
          })
        await server.sendLoggingMessage({ level: 'info', data: `step ${progress} at ${Date.now()}` })
        await wait(Math.random() * 4)
      }
      await server.sendToolListChanged()
      return text(`worked, ${Math.random()}`)
    case 'ask': {
      const { roots } = await server.listRoots()
      const said = await server.createMessage({
        maxTokens: 20,
        messages: [{ role: 'user', content: { type: 'text', text: 'a word?' } }],
      })
      return text(`${roots.length} roots, ${said.model} said ${said.content.text}`)
    }
    case 'fail':
      throw new Error('this tool fails')
    default:
      await wait(60_000, signal)
      return text('never')
  }
})
process.stderr.write('talkative is ready\n')
await server.connect(new StdioServerTransport())
