import { readFile } from 'node:fs/promises'
import { chat, toolDefinition } from '@tanstack/ai'
import { createOpenaiChat } from '@tanstack/ai-openai'
import { z } from 'zod'

const readNotes = toolDefinition({
  name: 'read_notes',
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  outputSchema: z.string(),
}).server(() => readFile('notes.txt', 'utf8'))
const adapter = createOpenaiChat('gpt-4o', 'key', { baseURL: `${process.env.MODEL_URL}/v1` })
const messages = [{ role: 'user', content: 'What is the answer?' }]
for await (const part of chat({ adapter, messages, tools: [readNotes] }))
  if (part.type === 'TEXT_MESSAGE_CONTENT') process.stdout.write(part.delta)
console.log()
