import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, streamText, tool } from 'ai'
import { attempt, base, chunks, refused, say } from './ledger.mjs'

const openai = createOpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: `${base}/v1` })
const tools = {
  weather: tool({
    description: 'the weather of a place',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
  }),
}
const prompt = 'Weather?'

for (const [name, of] of [
  ['chat', openai.chat],
  ['responses', openai.responses],
]) {
  const first = await generateText({ model: of('plain'), prompt, system: 'one word' })
  say(name, first.text, first.usage, first.finishReason, first.response.id)
  await chunks(`${name} stream`, streamText({ model: of('plain'), prompt }).fullStream)
  say(`${name} tool`, (await generateText({ model: of('tools'), prompt, tools })).toolCalls)
  await chunks(`${name} tool stream`, streamText({ model: of('tools'), prompt, tools }).fullStream)
}
await attempt('denied', () => generateText({ model: openai.chat('denied'), prompt }))
await attempt('busy', async () => (await generateText({ model: openai.chat('busy'), prompt })).text)
await attempt('broken', () => generateText({ model: openai.chat('broken'), prompt, maxRetries: 0 }))
await attempt('cut', () =>
  chunks(
    'cut',
    streamText({
      model: openai.chat('cut'),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => say('error', error.name),
    }).textStream,
  ),
)
await attempt('aborted', async () => {
  const controller = new AbortController()
  const result = streamText({ model: openai.chat('slow'), prompt, abortSignal: controller.signal })
  await chunks('aborted', result.textStream, (_, n) => {
    if (n === 4) controller.abort()
  })
})
const nowhere = createOpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: `${refused}/v1` })
await attempt('refused', () => generateText({ model: nowhere.chat('plain'), prompt, maxRetries: 0 }))
