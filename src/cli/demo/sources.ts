/**
 * The programs of `reprise demo`, as files for its folder: an agent without dependencies, and a stand-in for
 * its model.
 */

export const AGENT = `// A small agent: it asks a model, runs the tool that the model wants, and asks again.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const model = process.argv[2]
const here = (name) => join(import.meta.dirname, name)
const tools = { read_notes: () => readFileSync(here('notes.md'), 'utf8') }
const messages = [{ role: 'user', content: 'What should I pack?' }]

for (;;) {
  const response = await fetch(\`\${model}/v1/chat/completions\`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-model', messages }),
  })
  const { message } = (await response.json()).choices[0]
  messages.push(message)
  if (message.tool_calls === undefined) break
  for (const { id, function: { name } } of message.tool_calls) {
    console.log(\`  tool   \${name}\`)
    messages.push({ role: 'tool', tool_call_id: id, content: tools[name]() })
  }
}

const answer = messages.at(-1).content
writeFileSync(here('answer.md'), answer)
console.log(\`  answer \${answer}\`)
console.log(\`  at     \${new Date().toISOString()}, run \${crypto.randomUUID().slice(0, 8)}\`)
`

export const MODEL = `// Plays a model: requests the notes first, then answers from them.
import { createServer } from 'node:http'

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { messages } = JSON.parse(text)
  const notes = messages.find(({ role }) => role === 'tool')?.content
  const call = { id: 'call_1', type: 'function', function: { name: 'read_notes', arguments: '{}' } }
  const message = notes === undefined
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: \`\${notes.includes('rain') ? 'An umbrella' : 'Sunglasses'} and good shoes.\` }
  const usage = { prompt_tokens: text.length >> 2, completion_tokens: 12, total_tokens: (text.length >> 2) + 12 }
  const choices = [{ index: 0, message, finish_reason: notes === undefined ? 'tool_calls' : 'stop' }]
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'chat_1', object: 'chat.completion', model: 'demo-model', choices, usage }))
})
server.listen(0, '127.0.0.1', () => console.log(\`http://127.0.0.1:\${server.address().port}\`))
process.stdin.on('end', () => process.exit()).resume()
`

export const NOTES = `Lisbon, three days. Light rain on the second day.
`
