/**
 * A small research agent that knows nothing of Reprise. It asks an OpenAI model what to look at, runs the
 * tools that the model wants at the same time (an MCP server for the notes, files, git, a web page), lets a
 * Claude model write the report as a stream, and commits it.
 *
 * Usage: node agent.mjs <question>, in a folder that holds `notes/` and is a git repository.
 */
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import OpenAI from 'openai'

const run = promisify(execFile)
const question = process.argv[2] ?? 'What did we learn?'
const started = performance.now()
const openai = new OpenAI()
const anthropic = new Anthropic()

const notes = new Client({ name: 'research-agent', version: '1.0.0' })
const server = fileURLToPath(new URL('./notes-server.mjs', import.meta.url))
await notes.connect(new StdioClientTransport({ command: process.execPath, args: [server, 'notes'] }))

const tools = {
  async search_notes({ word }) {
    const { content } = await notes.callTool({ name: 'search', arguments: { word } })
    return content[0].text
  },
  read_note: ({ name }) => readFileSync(`notes/${name}`, 'utf8'),
  async git_log() {
    const { stdout } = await run('git', ['log', '--format=%h %s', '-5'])
    return stdout.trim()
  },
  async web_page({ path }) {
    const response = await fetch(new URL(path, process.env.WEB_URL))
    return `${response.status} ${await response.text()}`
  },
}

const toolList = Object.keys(tools).map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}))
const messages = [
  {
    role: 'system',
    content: `You are a researcher. The notes are ${readdirSync('notes').sort().join(', ')}.`,
  },
  { role: 'user', content: question },
]

console.log(`${new Date().toISOString()} run ${crypto.randomUUID().slice(0, 8)}: ${question}`)
for (;;) {
  const { choices } = await openai.chat.completions.create({
    model: 'gpt-stand-in',
    messages,
    tools: toolList,
  })
  const { message } = choices[0]
  messages.push(message)
  if (message.tool_calls === undefined) {
    console.log(`plan: ${message.content}`)
    break
  }
  await Promise.all(message.tool_calls.map(useTool))
}

async function useTool({ id, function: wanted }) {
  const answer = await Promise.resolve(tools[wanted.name](JSON.parse(wanted.arguments))).catch(
    (error) => `failed: ${error.message}`,
  )
  console.log(`${wanted.name}: ${answer.split('\n')[0]}`)
  messages.push({ role: 'tool', tool_call_id: id, content: answer })
}

const found = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
const stream = anthropic.messages.stream({
  model: 'claude-stand-in',
  max_tokens: 500,
  messages: [{ role: 'user', content: found.join('\n---\n') }],
})
process.stdout.write('report:')
stream.on('text', (text) => process.stdout.write(text))
const report = await stream.finalText()
process.stdout.write('\n')

await mkdir('reports', { recursive: true })
await writeFile('reports/report.md', `# ${question}\n\n${report}\n`)
await appendFile('reports/log.txt', `${new Date().toISOString()} ${found.length} sources\n`)
await run('git', ['add', 'reports']).catch((error) => console.log(`not added: ${error.message}`))
const { error, stdout } = spawnSync('git', ['commit', '-m', 'Add the report'], { encoding: 'utf8' })
console.log(error === undefined ? stdout.split('\n')[0] : `not committed: ${error.message}`)
console.log(readFileSync('reports/report.md', 'utf8').split('\n').length, 'lines')
await notes.close()
console.log(`done in ${Math.round(performance.now() - started)} ms`)
