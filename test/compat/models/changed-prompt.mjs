/** Two turns with one client; the question of the second comes from a module that a test changes. */
import { pathToFileURL } from 'node:url'
import { base, say } from './ledger.mjs'

const [, , client, file] = process.argv
const { question } = await import(pathToFileURL(file).href)
const key = process.env.OPENAI_API_KEY ?? 'none'

const clients = {
  async 'ai-sdk'() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const { generateText } = await import('ai')
    const model = createOpenAI({ apiKey: key, baseURL: `${base}/v1` }).chat('plain')
    const turn = async (messages) => (await generateText({ model, messages, maxRetries: 0 })).text
    await ask(turn)
  },
  async langchain() {
    const { ChatOpenAI } = await import('@langchain/openai')
    const configuration = { baseURL: `${base}/v1` }
    const model = new ChatOpenAI({ model: 'plain', apiKey: key, maxRetries: 0, configuration })
    await ask(async (messages) => (await model.invoke(messages)).content)
  },
  async anthropic() {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const model = new Anthropic({ apiKey: key, baseURL: base, maxRetries: 0 })
    const turn = async (messages) =>
      (await model.messages.create({ model: 'plain', max_tokens: 99, messages })).content[0].text
    await ask(turn)
  },
}

async function ask(turn) {
  const messages = [{ role: 'user', content: 'Weather?' }]
  messages.push({ role: 'assistant', content: await turn(messages) }, { role: 'user', content: question })
  say('answer', await turn(messages))
}

await clients[client]()
