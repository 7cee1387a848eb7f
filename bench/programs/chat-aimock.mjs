/**
 * The chat of chat.mjs through aimock in record mode: a server in this process that asks the model and stores
 * each answer.
 */
import { LLMock } from '@copilotkit/aimock'

const mock = new LLMock({ port: 0, logLevel: 'silent' })
await mock.start()
mock.enableRecording({
  providers: { openai: process.env.CHAT_URL },
  fixturePath: process.env.AIMOCK_FOLDER,
})
process.env.CHAT_URL = mock.url
await import('./chat.mjs')
await mock.stop()
