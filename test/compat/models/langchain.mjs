import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const model = (name, options = {}) =>
  new ChatOpenAI({
    model: name,
    apiKey: process.env.OPENAI_API_KEY,
    maxRetries: 0,
    configuration: { baseURL: `${base}/v1` },
    ...options,
  })
const messages = [new SystemMessage('Answer in one word.'), new HumanMessage('Weather?')]
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

const first = await model('plain').invoke(messages)
say('invoke', first.content, first.usage_metadata, first.id)
await chunks('stream', await model('plain').stream([...messages, first, new HumanMessage('And tomorrow?')]))
say('tool', (await model('tools').bindTools(tools).invoke(messages)).tool_calls)
await chunks('tool stream', await model('tools').bindTools(tools).stream(messages))
say(
  'batch',
  (
    await model('plain').batch([[new HumanMessage('a')], [new HumanMessage('b')], [new HumanMessage('c')]])
  ).map((each) => each.id),
)
await attempt('denied', () => model('denied').invoke(messages))
await attempt('busy', async () => (await model('busy', { maxRetries: 3 }).invoke(messages)).content)
await attempt('broken', () => model('broken').invoke(messages))
await attempt('aborted', async () => {
  const controller = new AbortController()
  await chunks('aborted', await model('slow').stream(messages, { signal: controller.signal }), (_, n) => {
    if (n === 4) controller.abort()
  })
})
await attempt('refused', () =>
  model('plain', { configuration: { baseURL: `${refused}/v1` } }).invoke(messages),
)
