import { readFile } from 'node:fs/promises'
import { Agent, tool } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { z } from 'zod'

const readNotes = tool({
  name: 'read_notes',
  description: 'reads the notes',
  inputSchema: z.object({ topic: z.string() }),
  callback: () => readFile('notes.txt', 'utf8'),
})
const model = new OpenAIModel({
  api: 'chat',
  modelId: 'gpt-4o',
  apiKey: 'key',
  clientConfig: { baseURL: `${process.env.MODEL_URL}/v1` },
})
const result = await new Agent({ model, tools: [readNotes], printer: false }).invoke('What is the answer?')
console.log(String(result))
