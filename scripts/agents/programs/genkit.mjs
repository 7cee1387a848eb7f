import { readFile } from 'node:fs/promises'
import { openAI } from '@genkit-ai/compat-oai/openai'
import { genkit, z } from 'genkit'

const ai = genkit({ plugins: [openAI({ apiKey: 'key', baseURL: `${process.env.MODEL_URL}/v1` })] })
const readNotes = ai.defineTool(
  { name: 'read_notes', description: 'reads the notes', inputSchema: z.object({ topic: z.string() }) },
  () => readFile('notes.txt', 'utf8'),
)
console.log(
  (await ai.generate({ model: openAI.model('gpt-4o'), prompt: 'What is the answer?', tools: [readNotes] }))
    .text,
)
