/**
 * An MCP server over stdio that searches a folder of notes, and says how far it is. Usage: node
 * notes-server.mjs <folder>
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const folder = process.argv[2] ?? '.'
const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { logging: {}, tools: {} } })
const search = {
  name: 'search',
  description: 'Lines of the notes that hold a word',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}

server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [search] }))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const lines = []
  for (const name of readdirSync(folder).sort()) {
    await server.sendLoggingMessage({ level: 'info', data: `looking into ${name}` })
    const text = readFileSync(join(folder, name), 'utf8')
    lines.push(...text.split('\n').filter((line) => line.includes(params.arguments.word)))
  }
  return { content: [{ type: 'text', text: lines.join('\n') || 'nothing' }] }
})

await server.connect(new StdioServerTransport())
