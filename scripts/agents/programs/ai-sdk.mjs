import { readFile } from 'node:fs/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'

const openai = createOpenAI({ apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` })
const read_notes = tool({
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  execute: () => readFile('notes.txt', 'utf8'),
})
const result = streamText({
  model: openai.chat('gpt-4o'),
  prompt: 'What is the answer?',
  tools: { read_notes },
  stopWhen: stepCountIs(4),
})
for await (const part of result.textStream) process.stdout.write(part)
console.log()
