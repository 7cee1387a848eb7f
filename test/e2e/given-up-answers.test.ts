/**
 * A program that gives up an answer of a model in its middle: what was noted of the call stands where it
 * stood, whatever else the turn held.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

const program = (url: string, rest: string): string => `
  const ask = (signal) => fetch('${url}/v1/chat/completions', {
    method: 'POST', signal, headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'go on for ever' }] }),
  })
  const stop = new AbortController()
  let seen = 0
  try {
    for await (const chunk of (await ask(stop.signal)).body) {
      seen += 1
      if (seen < 2) continue
      for (let n = 0; n < 3; n += 1) console.log(Date.now())
      stop.abort()
      for (let n = 0; n < 2; n += 1) console.log(Math.random())
    }
  } catch (error) { console.log(error.name, seen) }
  ${rest}`

test.each(['semantic', 'byte-identical'])(
  'an answer is given up after reads of the clock (%s)',
  async (mode) => {
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = (): void => {
        if (!response.destroyed)
          response.write(
            `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'on ' } }] })}\n\n`,
          )
      }
      write()
      const more = setInterval(write, 2)
      response.on('close', () => clearInterval(more))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const run = await recordProgram(program(`http://127.0.0.1:${port}`, `console.log('done', Date.now())`))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))

    expect([run.recorded.code, run.recorded.stderr]).toEqual([0, ''])
    const replayed = await run.replay({
      args: ['--mode', mode, '--emit-tape', join(run.folder, 'again.tape')],
    })
    expect(replayed.report).toMatchObject({ verdict: 'faithful', divergences: [] })
    expect([replayed.code, replayed.stdout]).toEqual([0, run.recorded.stdout])
    const compared = await reprise([
      'fidelity',
      run.tape,
      join(run.folder, 'again.tape'),
      '--mode',
      'byte-identical',
    ])
    expect([compared.code, compared.stderr]).toEqual([0, ''])
  },
)
