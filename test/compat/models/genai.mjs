import { GoogleGenAI } from '@google/genai'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY, httpOptions: { baseUrl: base } })
const tools = [
  {
    functionDeclarations: [
      { name: 'weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
    ],
  },
]
const ask = (model, config = {}) => ({
  model,
  contents: 'Weather?',
  config: { systemInstruction: 'one word', ...config },
})

const first = await client.models.generateContent(ask('plain'))
say('answer', first.text, first.usageMetadata, first.responseId)
await chunks('stream', await client.models.generateContentStream(ask('plain')))
say('tool', (await client.models.generateContent(ask('tools', { tools }))).functionCalls)
await chunks('tool stream', await client.models.generateContentStream(ask('tools', { tools })))
const chat = client.chats.create({ model: 'plain' })
say('chat', (await chat.sendMessage({ message: 'one' })).text)
say('chat', (await chat.sendMessage({ message: 'two' })).text, chat.getHistory().length)
await attempt('denied', () => client.models.generateContent(ask('denied')))
await attempt('broken', () => client.models.generateContent(ask('broken')))
await attempt('busy', () => client.models.generateContent(ask('busy')))
await attempt('cut', async () => chunks('cut', await client.models.generateContentStream(ask('cut'))))
await attempt('aborted', async () => {
  const controller = new AbortController()
  await chunks(
    'aborted',
    await client.models.generateContentStream(ask('slow', { abortSignal: controller.signal })),
    (_, n) => {
      if (n === 4) controller.abort()
    },
  )
})
await attempt('refused', () =>
  new GoogleGenAI({
    apiKey: process.env.GEMINI_API_KEY,
    httpOptions: { baseUrl: refused },
  }).models.generateContent(ask('plain')),
)
