import OpenAI from 'openai'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: `${base}/v1` })
const messages = [
  { role: 'system', content: 'Answer in one word, and in no other way than that.' },
  { role: 'user', content: 'Weather?' },
]
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'the weather of a place',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]
const flat = [
  { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false },
]

const first = await client.chat.completions.create({ model: 'plain', messages })
say('chat', first, first._request_id)
messages.push(first.choices[0].message, { role: 'user', content: 'And tomorrow?' })
await chunks(
  'chat stream',
  await client.chat.completions.create({
    model: 'plain',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  }),
)
const called = await client.chat.completions.create({ model: 'tools', messages, tools })
say('tool', called.choices[0].message.tool_calls)
const runner = client.chat.completions.stream({ model: 'tools', messages, tools })
runner.on('chunk', (chunk) => say('event', chunk.choices[0]?.delta ?? chunk.usage))
say('tool stream', (await runner.finalChatCompletion()).choices[0].message)

const response = await client.responses.create({
  model: 'plain',
  input: 'Weather?',
  instructions: 'one word',
})
say('response', response.output_text, response.id)
await chunks(
  'response stream',
  await client.responses.create({
    model: 'plain',
    input: [{ role: 'user', content: 'Weather?' }],
    stream: true,
  }),
)
await chunks(
  'response tool stream',
  await client.responses.create({ model: 'tools', input: 'Weather?', tools: flat, stream: true }),
)

await Promise.all(
  [1, 2, 3, 4].map(async (n) =>
    say(
      'parallel',
      n,
      (
        await client.chat.completions.create({
          model: 'plain',
          messages: [{ role: 'user', content: `n ${n}` }],
        })
      ).id,
    ),
  ),
)
await attempt('denied', () => client.chat.completions.create({ model: 'denied', messages }))
await attempt(
  'busy',
  async () => (await client.chat.completions.create({ model: 'busy', messages })).choices[0].message.content,
)
await attempt('broken', () =>
  client.chat.completions.create({ model: 'broken', messages }, { maxRetries: 1 }),
)
await attempt('cut', async () =>
  chunks(
    'cut',
    await client.chat.completions.create({ model: 'cut', messages, stream: true }, { maxRetries: 0 }),
  ),
)
await attempt('aborted', async () => {
  const stream = await client.chat.completions.create({ model: 'slow', messages, stream: true })
  await chunks('aborted', stream, (_, n) => {
    if (n === 5) stream.controller.abort()
  })
})
await attempt('left', async () =>
  chunks('left', await client.chat.completions.create({ model: 'slow', messages, stream: true }), (_, n) =>
    n === 3 ? 'stop' : 'go',
  ),
)
await attempt('timeout', () =>
  client.chat.completions.create({ model: 'slow', messages, stream: true }, { timeout: 1, maxRetries: 0 }),
)
await attempt('refused', () =>
  new OpenAI({
    apiKey: process.env.OPENAI_API_KEY,
    baseURL: `${refused}/v1`,
    maxRetries: 1,
  }).chat.completions.create({ model: 'plain', messages }),
)
