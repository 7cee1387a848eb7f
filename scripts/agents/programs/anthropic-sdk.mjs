import { readFile } from 'node:fs/promises'
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { z } from 'zod'

const client = new Anthropic({ apiKey: 'key', baseURL: process.env.MODEL_URL })
const readNotes = betaZodTool({
  name: 'read_notes',
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  run: () => readFile('notes.txt', 'utf8'),
})
const { content } = await client.beta.messages.toolRunner({
  model: 'claude-opus-4-5',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'What is the answer?' }],
  tools: [readNotes],
})
console.log(content.map(({ text }) => text).join(''))
