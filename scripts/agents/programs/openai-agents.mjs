import { readFile } from 'node:fs/promises'
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

setTracingDisabled(true)
setOpenAIAPI('chat_completions')
setDefaultOpenAIClient(new OpenAI({ apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` }))
const readNotes = tool({
  name: 'read_notes',
  description: 'reads the notes',
  parameters: z.object({ topic: z.string() }),
  execute: () => readFile('notes.txt', 'utf8'),
})
const agent = new Agent({ name: 'reader', model: 'gpt-4o', tools: [readNotes] })
console.log((await run(agent, 'What is the answer?')).finalOutput)
