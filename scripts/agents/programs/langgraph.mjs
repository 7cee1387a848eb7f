import { readFile } from 'node:fs/promises'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'

const readNotes = tool(() => readFile('notes.txt', 'utf8'), {
  name: 'read_notes',
  description: 'reads the notes',
  schema: z.object({ topic: z.string() }),
})
const llm = new ChatOpenAI({
  model: 'gpt-4o',
  apiKey: 'key',
  configuration: { baseURL: `${process.env.MODEL_URL}/v1` },
})
const agent = createReactAgent({ llm, tools: [readNotes] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'What is the answer?' }] })
console.log(messages.at(-1).content)
