import { readFile } from 'node:fs/promises'
import { createAgent, createNetwork, createTool, openai } from '@inngest/agent-kit'
import { z } from 'zod'

const readNotes = createTool({
  name: 'read_notes',
  description: 'reads the notes',
  parameters: z.object({ topic: z.string() }),
  handler: () => readFile('notes.txt', 'utf8'),
})
const model = openai({ model: 'gpt-4o', apiKey: 'key', baseUrl: `${process.env.MODEL_URL}/v1` })
const agent = createAgent({ name: 'reader', system: 'Answer.', tools: [readNotes], model })
const router = ({ callCount }) => (callCount < 2 ? agent : undefined)
const network = createNetwork({ name: 'readers', agents: [agent], defaultModel: model, maxIter: 2, router })
const { state } = await network.run('What is the answer?')
console.log(state.results.at(-1).output[0].content)
