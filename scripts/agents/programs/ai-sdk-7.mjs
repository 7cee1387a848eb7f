import { readFile } from 'node:fs/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'

const openai = createOpenAI({ apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` })
const read_notes = tool({
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  execute: () => readFile('notes.txt', 'utf8'),
})
const agent = new ToolLoopAgent({ model: openai('gpt-4o'), tools: { read_notes } })
const { textStream } = await agent.stream({ prompt: 'What is the answer?' })
for await (const part of textStream) process.stdout.write(part)
console.log()
