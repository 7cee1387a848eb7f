/**
 * A server of the test that speaks OpenAI's responses and realtime API over WebSockets and TLS. Its answers have a
 * text, a tool call and usage.
 */
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { selfSigned } from '../../support/certificate.ts'

export const MODEL_KEY = 'sk-test-8Jq2Vx7Lm4Tz9Wd1Kp3Rn6'
type Event = Record<string, unknown> & { readonly type: string }

export async function startModelSockets(): Promise<{ readonly base: string; stop(): Promise<unknown> }> {
  const server = https.createServer(selfSigned())
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    const answer = request.url?.includes('/realtime') === true ? realtime(socket) : responses(socket)
    socket.on('message', (bytes) => answer(JSON.parse(String(bytes))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const sender =
  (socket: WebSocket) =>
  (...events: readonly Event[]): void => {
    for (const event of events) socket.send(JSON.stringify(event))
  }

let count = 0
function responses(socket: WebSocket): (event: Event) => void {
  const send = sender(socket)
  return ({ model, input }) => {
    count += 1
    const id = `resp_${count}`
    if (model === 'nothing')
      return send({
        type: 'error',
        status: 400,
        error: { code: 'model_not_found', message: 'no such model' },
      })
    const isTool = JSON.stringify(input).includes('weather')
    const call = {
      type: 'function_call',
      call_id: `call_${count}`,
      name: 'weather',
      arguments: '{"city":"Bonn"}',
    }
    const message = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `answer ${count}` }],
    }
    const usage = { input_tokens: 11, output_tokens: 5, input_tokens_details: { cached_tokens: 3 } }
    send(
      {
        type: 'response.created',
        response: { id, object: 'response', status: 'in_progress', model, output: [] },
      },
      { type: 'response.output_text.delta', output_index: 0, delta: 'answer' },
      {
        type: 'response.completed',
        response: {
          id,
          object: 'response',
          status: 'completed',
          model,
          output: [isTool ? call : message],
          usage,
        },
      },
    )
  }
}

function realtime(socket: WebSocket): (event: Event) => void {
  const send = sender(socket)
  send({ type: 'session.created', session: { model: 'gpt-realtime' } })
  return (event) => {
    if (event.type === 'conversation.item.create') send({ type: 'conversation.item.added', item: event.item })
    if (event.type !== 'response.create') return
    count += 1
    const id = `resp_${count}`
    const response_id = id
    const output = [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_audio', transcript: `spoken ${count}` }],
      },
      { type: 'function_call', call_id: `call_${count}`, name: 'weather', arguments: '{"city":"Bonn"}' },
    ]
    const usage = { input_tokens: 20, output_tokens: 9, input_token_details: { cached_tokens: 4 } }
    send(
      { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
      { type: 'response.output_audio.delta', response_id, output_index: 0, delta: 'AAAA'.repeat(2000) },
      { type: 'response.output_audio_transcript.delta', response_id, output_index: 0, delta: 'spoken' },
      { type: 'response.done', response: { id, status: 'completed', output, usage } },
    )
  }
}

/** The name of a module, as the program imports it. */
type Named = (module: string) => string

const head = (name: Named): string => `process.removeAllListeners('warning')
import OpenAI from ${name('openai')}
const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: process.env.BASE })
const options = { rejectUnauthorized: false }
`
export const responsesProgram = (name: Named): string => `${head(name)}
import { ResponsesWS } from ${name('openai/resources/responses/ws')}
const socket = new ResponsesWS(client, options)
const ask = (model, input) => new Promise((resolve) => { const done = (event) => { if (/completed$|^error$/.test(event.type)) { socket.off('event', done); resolve(event) } }
  socket.on('event', done); socket.send({ type: 'response.create', model, input, store: false }) })
socket.on('error', (error) => console.log('error', error.error?.code))
const input = [{ role: 'user', content: 'Hello, I would like to know something about the town of Bonn.' }]
const first = await ask('gpt-5', input); console.log(first.response.output[0].content[0].text)
input.push(...first.response.output, { role: 'user', content: 'And the weather?' })
const second = await ask('gpt-5', input); console.log(second.response.output[0].name)
await ask('nothing', input)
socket.close()
`
export const realtimeProgram = (name: Named): string => `${head(name)}
import { OpenAIRealtimeWS } from ${name('openai/realtime/ws')}
const socket = new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, client)
const done = () => new Promise((resolve) => socket.once('response.done', resolve))
await new Promise((resolve) => socket.once('session.created', resolve))
socket.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.', tools: [{ type: 'function', name: 'weather', parameters: {} }] } })
for (const text of ['How are you?', 'And the weather?']) {
  socket.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } })
  socket.send({ type: 'response.create' })
  const { response } = await done(); console.log(response.output[0].content[0].transcript, response.usage.output_tokens)
}
socket.socket.on('close', () => console.log('closed')); socket.close()
`
