import { Ollama } from 'ollama'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const client = new Ollama({ host: base, headers: { authorization: `Bearer ${process.env.OLLAMA_API_KEY}` } })
const messages = [{ role: 'user', content: 'Weather?' }]
const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'the weather of a place',
      parameters: { type: 'object', properties: {} },
    },
  },
]

const first = await client.chat({ model: 'plain', messages })
say('chat', first)
messages.push(first.message, { role: 'user', content: 'And tomorrow?' })
await chunks('stream', await client.chat({ model: 'plain', messages, stream: true }))
say('tool', (await client.chat({ model: 'tools', messages, tools })).message)
await chunks('tool stream', await client.chat({ model: 'tools', messages, tools, stream: true }))
await attempt('denied', () => client.chat({ model: 'denied', messages }))
await attempt('busy', () => client.chat({ model: 'busy', messages }))
await attempt('broken', () => client.chat({ model: 'broken', messages }))
await attempt('cut', async () => chunks('cut', await client.chat({ model: 'cut', messages, stream: true })))
await attempt('aborted', async () => {
  const stream = await client.chat({ model: 'slow', messages, stream: true })
  await chunks('aborted', stream, (_, n) => {
    if (n === 4) stream.abort()
  })
})
await attempt('refused', () => new Ollama({ host: refused }).chat({ model: 'plain', messages }))
