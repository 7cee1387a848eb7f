import { readFile } from 'node:fs/promises'
import { openai } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { tool } from 'llamaindex'
import { z } from 'zod'

const readNotes = tool({
  name: 'read_notes',
  description: 'reads the notes',
  parameters: z.object({ topic: z.string() }),
  execute: () => readFile('notes.txt', 'utf8'),
})
const llm = openai({ model: 'gpt-4o', apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` })
console.log(String((await agent({ tools: [readNotes], llm }).run('What is the answer?')).data.result))
