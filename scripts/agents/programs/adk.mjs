import { readFile } from 'node:fs/promises'
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent } from '@google/adk'
import { z } from 'zod'

process.env.GOOGLE_GEMINI_BASE_URL = process.env.MODEL_URL
const readNotes = new FunctionTool({
  name: 'read_notes',
  description: 'reads the notes',
  parameters: z.object({ topic: z.string() }),
  execute: async () => ({ notes: await readFile('notes.txt', 'utf8') }),
})
const agent = new LlmAgent({
  name: 'reader',
  model: new Gemini({ model: 'gemini-2.5-flash', apiKey: 'key' }),
  instruction: 'Answer.',
  tools: [readNotes],
})
const runner = new InMemoryRunner({ agent, appName: 'app' })
const session = await runner.sessionService.createSession({ appName: 'app', userId: 'user' })
for await (const event of runner.runAsync({
  userId: 'user',
  sessionId: session.id,
  newMessage: { role: 'user', parts: [{ text: 'What is the answer?' }] },
}))
  for (const part of event.content?.parts ?? []) if (part.text) console.log(part.text)
