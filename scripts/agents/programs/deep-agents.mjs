import { readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { createDeepAgent } from 'deepagents'
import { tool } from 'langchain'
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
const agent = createDeepAgent({ model, tools: [readNotes] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'What is the answer?' }] })
console.log(messages.at(-1).content)
