import Anthropic from '@anthropic-ai/sdk'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const client = new Anthropic({ apiKey: process.env.ANTHROPIC_API_KEY, baseURL: base })
const ask = {
  max_tokens: 200,
  system: 'Answer in one word.',
  messages: [{ role: 'user', content: 'Weather?' }],
}
const tools = [
  {
    name: 'weather',
    description: 'the weather of a place',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  },
]

const first = await client.messages.create({ ...ask, model: 'plain' })
say('message', first)
ask.messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: 'And tomorrow?' })
await chunks('stream', await client.messages.create({ ...ask, model: 'plain', stream: true }))
say('tool', (await client.messages.create({ ...ask, model: 'tools', tools })).content)
const stream = client.messages.stream({ ...ask, model: 'tools', tools })
stream.on('inputJson', (part, so_far) => say('json', part, so_far))
say('tool stream', await stream.finalMessage())
await attempt('denied', () => client.messages.create({ ...ask, model: 'denied' }))
await attempt('busy', async () => (await client.messages.create({ ...ask, model: 'busy' })).content)
await attempt('broken', () => client.messages.create({ ...ask, model: 'broken' }, { maxRetries: 1 }))
await attempt('cut', async () =>
  chunks('cut', await client.messages.create({ ...ask, model: 'cut', stream: true }, { maxRetries: 0 })),
)
await attempt('aborted', async () => {
  const slow = client.messages.stream({ ...ask, model: 'slow' })
  let n = 0
  slow.on('text', (text) => {
    say('text', text)
    n += 1
    if (n === 4) slow.abort()
  })
  await slow.finalMessage()
})
await attempt('refused', () =>
  new Anthropic({ apiKey: process.env.ANTHROPIC_API_KEY, baseURL: refused, maxRetries: 0 }).messages.create({
    ...ask,
    model: 'plain',
  }),
)
