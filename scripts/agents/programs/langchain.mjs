import { readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const readNotes = tool(() => readFile('notes.txt', 'utf8'), {
  name: 'read_notes',
  description: 'reads the notes',
  schema: z.object({ topic: z.string() }),
})
const model = new ChatOpenAI({
  model: 'gpt-4o',
  apiKey: 'key',
  configuration: { baseURL: `${process.env.MODEL_URL}/v1` },
})
const agent = createAgent({ model, tools: [readNotes] })
const question = { messages: [{ role: 'user', content: 'What is the answer?' }] }
let last
for await (const state of await agent.stream(question, { streamMode: 'values' })) last = state
console.log(last.messages.at(-1).content)
