/**
 * A storm on a server: 100 clients at once ask an agent on Express, which asks a model and races it against
 * timers. Some clients go away in the middle of a body or of an answer. Every replay has the same requests,
 * answers and order, and no network.
 */
import http from 'node:http'
import { createRequire } from 'node:module'
import net from 'node:net'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { startLocalServer } from '../support/local-server.ts'
import { recordServer } from '../support/served-program.ts'

const express = pathToFileURL(createRequire(import.meta.url).resolve('express')).href

const AGENT = `
  import express from '${express}'
  import { createHash } from 'node:crypto'
  const base = process.env.BASE
  const ledger = createHash('sha256')
  let lines = 0
  const say = (...words) => { lines += 1; ledger.update(words.join(' ') + '\\n') }
  const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value))
  const model = async (path, init) => (await (await fetch(base + path, init)).json()).random
  process.on('exit', () => console.log(ledger.digest('hex'), lines))
  const app = express()
  app.use(express.text({ limit: '1mb' }))
  app.use((req, res, next) => {
    say('begin', req.method, req.url)
    res.on('close', () => say('close', req.url, res.writableFinished, Date.now()))
    next()
  })
  app.get('/ask/:n', async (req, res) => {
    const answer = await Promise.race([model('/race' + req.params.n), sleep(req.params.n % 9, 'timer')])
    res.json({ answer, at: Date.now() })
  })
  app.post('/echo/:n', async (req, res) => {
    await sleep(req.params.n % 5)
    res.set('x-length', req.body.length).send(req.body)
  })
  app.get('/stream/:n', async (req, res) => {
    for (let part = 0; part < 4 && !res.destroyed; part += 1) {
      res.write('part ' + part + ' ' + Math.random() + '\\n')
      await sleep(1 + (req.params.n % 3))
    }
    res.end()
  })
  app.get('/stop', (req, res) => {
    res.end('stopped')
    server.close()
    server.closeAllConnections()
  })
  app.use((error, req, res, next) => { say('error', error.type ?? error.code); res.destroy() })
  const server = app.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
`

const agent = new http.Agent({ keepAlive: true, maxSockets: 100 })

/** Resolves when the exchange is over, in whatever way. */
function ask(port: number, n: number): Promise<void> {
  return new Promise((resolve) => {
    const kind = n % 5
    if (kind === 4) {
      cutOff(port, n, resolve)
      return
    }
    const isPost = kind === 1
    const path = isPost ? `/echo/${n}` : kind === 2 ? `/stream/${n}` : `/ask/${n}`
    const headers = isPost ? { 'content-type': 'text/plain' } : {}
    const sent = http.request({
      port,
      host: '127.0.0.1',
      path,
      agent,
      headers,
      method: isPost ? 'POST' : 'GET',
    })
    sent.on('response', (answer) => answer.resume().on('close', resolve))
    sent.on('error', () => resolve())
    sent.end(isPost ? 'x'.repeat((n * 37) % 40_000) : undefined)
  })
}

/** A body that is not whole, or an answer that is not read to its end. */
function cutOff(port: number, n: number, done: () => void): void {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('close', () => done())
  if (n % 2 === 0) {
    socket.write(`GET /stream/${n} HTTP/1.1\r\nHost: a\r\n\r\n`)
    socket.once('data', () => socket.resetAndDestroy())
  } else {
    socket.write(
      `POST /echo/${n} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 90\r\n\r\nhalf`,
    )
    setImmediate(() => socket.resume().end())
  }
}

test('100 clients at once come out as recorded, every time', async () => {
  const server = await startLocalServer()
  const requests = scaled(10_000, 150)
  const program = await recordServer(
    AGENT,
    async ({ port }) => {
      let next = 0
      const worker = async (): Promise<void> => {
        while (next < requests) {
          next += 1
          await ask(port, next)
        }
      }
      await Promise.all(Array.from({ length: 100 }, worker))
      agent.destroy()
      await new Promise<void>((resolve) => {
        http.get({ port, host: '127.0.0.1', path: '/stop' }, (answer) => answer.resume().on('close', resolve))
      })
    },
    { env: { BASE: server.url } },
  )
  await server.stop()
  expect(program.recorded.stderr.replace(/PORT.*\n/, '')).toBe('')
  expect(program.recorded.code).toBe(0)
  for (let time = 0; time < (campaignSize === 'short' ? 1 : 3); time += 1) {
    const replay = await program.replay()
    expect(replay.report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [], gaps: [] })
    expect(replay.stdout).toBe(program.recorded.stdout)
  }
})
