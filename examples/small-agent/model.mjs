/** A stand-in for a model and three tools, on loopback, in a thread of its own. Answers after random delays, as the real ones do. */
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms))

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : null
  await wait(request.url === '/tools/slow' ? 60 : 15)
  if (body?.stream === true) return stream(response)
  const value = Math.round(Math.random() * 1000)
  const answer = body === null ? { value } : { choices: [{ message: { role: 'assistant', content: `three tools, then a summary (${value})` } }] }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})

async function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of ['sunny', 'two', 'meetings', 'no', 'mail']) {
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    await wait(10)
  }
  response.end('data: [DONE]\n\n')
}

server.listen(0, '127.0.0.1', () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}`))
