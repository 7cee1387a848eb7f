/** Events of `fetch` on `node:diagnostics_channel` come in a replay as they came when recorded. */
import { expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

test('events of fetch come in their order, and a listener adds a header', async () => {
  const program = await recordProgram(`
import { subscribe } from 'node:diagnostics_channel'
import http from 'node:http'
for (const name of ['create', 'bodySent', 'headers', 'trailers', 'error'])
  subscribe('undici:request:' + name, ({ request, response, error }) => {
    if (name === 'create') request.addHeader('x-trace', String(Math.random()))
    console.log(name, request.method, request.path, response?.statusCode, error?.code, Date.now())
  })
subscribe('net.client.socket', () => console.log('a socket'))
const server = http.createServer((req, res) => {
  req.resume()
  if (req.url === '/cut') return req.socket.destroy()
  res.end(req.headers['x-trace'])
})
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port
  console.log(await (await fetch(url + '/a')).text())
  console.log(await (await fetch(url + '/b', { method: 'POST', body: 'hello' })).text())
  console.log(await fetch(url + '/cut').catch((error) => error.cause.code))
  server.close()
  server.closeAllConnections()
})
`)
  const events = program.recorded.stdout.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))
  expect(events.filter((line) => /(GET|POST) /.test(line))).toEqual([
    'create GET /a',
    'headers GET /a',
    'trailers GET /a',
    'create POST /b',
    'bodySent POST /b',
    'headers POST /b',
    'trailers POST /b',
    'create GET /cut',
    'error GET /cut',
  ])
  expect(program.recorded.stdout).not.toContain('a socket')
  const replay = await program.replay()
  expect(replay).toMatchObject({ code: 0, stdout: program.recorded.stdout, report: { verdict: 'faithful' } })
})

test('the name by which Node was started is the recorded one', async () => {
  const program = await recordProgram('console.log(process.argv0 === process.title, process.argv0)')
  const replay = await program.replay()
  expect(replay).toMatchObject({ stdout: program.recorded.stdout, report: { verdict: 'faithful' } })
})
