/**
 * Calls of a model over WebSockets, by the clients of OpenAI's SDK: responses and the realtime API, against a
 * server in the test. Each call has an `llm_call` with its request, text, tool calls and usage.
 */
import { readFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { selfSigned } from '../support/certificate.ts'
import { needs } from '../support/outside.ts'
import { recordProgram } from '../support/recorded-program.ts'

const KEY = 'sk-test-8Jq2Vx7Lm4Tz9Wd1Kp3Rn6'
type Event = Record<string, unknown> & { readonly type: string }

let server: https.Server
let base = ''
beforeAll(async () => {
  server = https.createServer(selfSigned())
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    const answer = request.url?.includes('/realtime') === true ? realtime(socket) : responses(socket)
    socket.on('message', (bytes) => answer(JSON.parse(String(bytes))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

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

const HEAD = `process.removeAllListeners('warning')
import OpenAI from ${JSON.stringify(import.meta.resolve('openai'))}
const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: process.env.BASE })
const options = { rejectUnauthorized: false }
`
const RESPONSES = `${HEAD}
import { ResponsesWS } from ${JSON.stringify(import.meta.resolve('openai/resources/responses/ws'))}
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
const REALTIME = `${HEAD}
import { OpenAIRealtimeWS } from ${JSON.stringify(import.meta.resolve('openai/realtime/ws'))}
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

type Call = {
  kind: string
  model?: string
  usage?: object
  request?: Record<string, unknown>
  response: unknown
  error?: unknown
}

async function callsOf(source: string): Promise<Call[]> {
  const program = await recordProgram(source, { OPENAI_API_KEY: KEY, BASE: base, NODE_NO_WARNINGS: '1' })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
  const text = readFileSync(program.tape, 'utf8')
  expect(text).not.toContain(KEY)
  const records: { kind: Call }[] = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))
  return records.map(({ kind }) => kind).filter(({ kind }) => kind === 'llm_call')
}

test('responses over a WebSocket', async (context) => {
  needs(context, 'openssl')
  const [first, second, failed] = await callsOf(RESPONSES)
  expect(first).toMatchObject({
    model: 'gpt-5',
    usage: { input_tokens: 11, output_tokens: 5, cache_read_tokens: 3 },
    request: { type: 'response.create', model: 'gpt-5' },
  })
  expect(JSON.stringify(first?.response)).toMatch(/answer \d/)
  // A conversation grows by what is new.
  expect(second?.request).toMatchObject({ keep: 1 })
  expect(JSON.stringify(second?.response)).toMatch(/weather.*Bonn/)
  expect(JSON.stringify(failed?.error)).toMatch(/model_not_found/)
})

test('the realtime API', async (context) => {
  needs(context, 'openssl')
  const [first, second] = await callsOf(REALTIME)
  expect(first).toMatchObject({
    model: 'gpt-realtime',
    usage: { input_tokens: 20, output_tokens: 9, cache_read_tokens: 4 },
    request: { instructions: 'Be brief.', input: [{ role: 'user' }] },
  })
  expect(JSON.stringify(first?.response)).toMatch(/spoken \d.*weather|weather.*spoken \d/)
  expect(second?.request).toMatchObject({
    keep: 1,
    append: [{ role: 'assistant' }, { type: 'function_call' }, { role: 'user' }],
  })
})
