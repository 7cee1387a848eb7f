import http, { get } from 'node:http'
import * as https from 'node:https'
import { BASE, chunks, digest, failure, REFUSED, step, TLS_BASE, UNKNOWN_HOST } from './ledger.mjs'

const ask = (url, options = {}, send = (request) => request.end()) =>
  new Promise((resolve) => {
    const seen = []
    const request = (String(url).startsWith('https') ? https : http).request(url, options, (response) => {
      const { socket } = response
      seen.push([
        response.statusCode,
        response.statusMessage,
        response.httpVersion,
        response.rawHeaders,
        typeof socket.remotePort,
        socket.encrypted,
      ])
      response.on('data', (chunk) => seen.push(digest(chunk)))
      response.on('aborted', () => seen.push('aborted'))
      response.on('error', (error) => seen.push(failure(error)))
      response.on('end', () => seen.push(response.rawTrailers))
      response.on('close', () => resolve(seen))
    })
    for (const event of ['socket', 'continue', 'timeout', 'finish']) request.on(event, () => seen.push(event))
    request.on('information', ({ statusCode, rawHeaders }) => seen.push([statusCode, rawHeaders]))
    request.on('timeout', () => request.destroy())
    request.on('error', (error) => {
      seen.push(failure(error))
      resolve(seen)
    })
    send(request)
  })
const parts = async (request) => {
  for (const part of ['one ', 'two ']) {
    request.write(part)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  // The last part ends it: a body of known length is whole with it, and its answer could overtake an end that
  // comes later.
  request.end('three')
}

for (const path of [
  '/plain',
  '/stream',
  '/redirect',
  '/status?code=500',
  '/binary',
  '/empty',
  '/hints',
  '/cut',
  '/die',
  '/reset',
]) {
  await step(path, () => ask(BASE + path))
}
await step('head', () => ask(`${BASE}/plain`, { method: 'HEAD' }))
await step('no agent', () => ask(`${BASE}/plain`, { agent: false }))
await step('upload', () => ask(`${BASE}/echo`, { method: 'POST' }, parts))
await step('upload with length', () =>
  ask(`${BASE}/echo`, { method: 'PUT', headers: { 'content-length': 13 } }, parts),
)
await step('continue', () =>
  ask(`${BASE}/echo`, { method: 'POST', headers: { expect: '100-continue' } }, (request) => {
    request.on('continue', () => request.end('after it'))
    request.flushHeaders()
  }),
)
await step('early answer', () =>
  ask(`${BASE}/early`, { method: 'POST' }, (request) => request.write('the beginning')),
)
await step('timeout', () => ask(`${BASE}/hang`, { timeout: 500 }))
await step('signal', () => ask(`${BASE}/hang`, { signal: AbortSignal.timeout(500) }))
await step('abort in mid-stream', () =>
  ask(`${BASE}/forever`, {}, (request) => {
    request.on('response', (response) => response.once('data', () => request.destroy()))
    request.end()
  }),
)
await step('refused', () => ask(REFUSED))
await step('unknown host', () => ask(UNKNOWN_HOST))
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
await step('one socket for three', () =>
  Promise.all(['/1', '/2', '/3'].map((path) => ask(BASE + path, { agent }))),
)
agent.destroy()
await step(
  'for await',
  () => new Promise((resolve) => get(`${BASE}/stream`, (response) => resolve(chunks(response)))),
)
await step('certificate that nobody knows', () => ask(`${TLS_BASE}/plain`))
await step('tls', () => ask(`${TLS_BASE}/stream`, { rejectUnauthorized: false }))
await step('tls again', () => ask(`${TLS_BASE}/plain`, { rejectUnauthorized: false }))
