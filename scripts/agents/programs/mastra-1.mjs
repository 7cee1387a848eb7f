import { readFile } from 'node:fs/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'

const openai = createOpenAI({ apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` })
const readNotes = createTool({
  id: 'read_notes',
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  execute: () => readFile('notes.txt', 'utf8'),
})
const agent = new Agent({
  id: 'reader',
  name: 'reader',
  instructions: 'Answer.',
  model: openai.chat('gpt-4o'),
  tools: { read_notes: readNotes },
})
console.log((await agent.generate('What is the answer?')).text)
