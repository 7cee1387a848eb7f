/**
 * A stand-in for both models and the web, on loopback, in a thread of its own. It speaks OpenAI's chat
 * completions (with tool calls) and Anthropic's messages (streamed), and answers after random delays, as the
 * real ones do.
 */
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms))
const call = (name, args) => ({
  id: `call_${name}_${Math.random().toString(36).slice(2, 8)}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  await wait(20)
  if (request.method === 'GET')
    return response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(`page ${request.url}, visitor ${Math.round(Math.random() * 1e6)}`)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  return request.url.endsWith('/chat/completions') ? chat(body, response) : writeReport(response)
})

/** First the tools, then the plan. */
function chat({ model, messages }, response) {
  const asked = messages.some(({ role }) => role === 'tool')
  const message = asked
    ? { role: 'assistant', content: 'enough is known, write it down' }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [
          call('search_notes', { word: 'tape' }),
          call('read_note', { name: 'clocks.md' }),
          call('git_log', {}),
          call('web_page', { path: '/news' }),
        ],
      }
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: asked ? 'stop' : 'tool_calls' }],
  }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...answer, usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } }))
}

async function writeReport(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-stand-in',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
  send({ type: 'message_start', message: { ...message, usage: { input_tokens: 40, output_tokens: 1 } } })
  send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  for (const word of ' Clocks drift, tapes do not.'.match(/ \S+/g)) {
    send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } })
    await wait(8)
  }
  send({ type: 'content_block_stop', index: 0 })
  send({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 12 },
  })
  send({ type: 'message_stop' })
  response.end()
}

server.listen(0, '127.0.0.1', () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}`))
