/**
 * Request bodies above 4 MiB, which go to the tape as they come: by `fetch` and by `node:http`, to servers
 * that read at once, read slowly, or answer before they have read.
 */
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'

const SECRET = 'Zq7-large-upload-secret-value-92'
const PIECES = `
  import { Readable } from 'node:stream'
  const secret = process.env.UPLOAD_TOKEN
  function* pieces() {
    for (let at = 0; at < 96; at += 1) yield Buffer.alloc(65_536, 32 + (at % 90))
    yield Buffer.from(' ' + secret.slice(0, 9))
    yield Buffer.from(secret.slice(9) + ' ')
    for (let at = 0; at < 32; at += 1) yield Buffer.alloc(65_536, 32 + (at % 90))
  }
`
const BY_FETCH = `
  ${PIECES}
  const response = await fetch(process.env.BASE, { method: 'POST', duplex: 'half', body: Readable.from(pieces()) })
  console.log(response.status, await response.text())
`
const BY_HTTP = `
  ${PIECES}
  import http from 'node:http'
  import { pipeline } from 'node:stream'
  const request = http.request(process.env.BASE, { method: 'POST' }, async (response) => {
    let text = ''
    for await (const chunk of response) text += chunk
    console.log(response.statusCode, text)
  })
  pipeline(Readable.from(pieces()), request, () => undefined)
`
const BYTES = 128 * 65_536 + SECRET.length + 2

let base = ''
const server = http.createServer(async (request, response) => {
  if (request.url === '/early') {
    response.end('early')
    request.resume()
    return
  }
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    // The buffers of the system fill up: the client has to wait.
    if (request.url === '/slow') for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  }
  response.end(String(bytes))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each([
  ['fetch', '', BY_FETCH, `200 ${BYTES}\n`],
  ['node:http', '', BY_HTTP, `200 ${BYTES}\n`],
  ['fetch to a server that reads slowly', '/slow', BY_FETCH, `200 ${BYTES}\n`],
  ['node:http to a server that reads slowly', '/slow', BY_HTTP, `200 ${BYTES}\n`],
  ['fetch to a server that answers early', '/early', BY_FETCH, '200 early\n'],
  ['node:http to a server that answers early', '/early', BY_HTTP, '200 early\n'],
])('an upload by %s is replayed without the secret in it', async (_name, path, source, output) => {
  const env = { BASE: base + path, UPLOAD_TOKEN: SECRET }
  const program = await recordProgram(source, env)
  expect(program.recorded).toMatchObject({ code: 0, stdout: output })
  for (const bytes of written(program.folder)) {
    expect(bytes.includes(SECRET.slice(0, 9))).toBe(false)
    expect(bytes.includes(SECRET.slice(9))).toBe(false)
  }
  const replayed = await program.replay()
  expect([replayed.stdout, replayed.report.verdict]).toEqual([output, 'faithful'])
  if (path === '/early') return
  program.change(source.replace('at % 90', '(at + (at === 40)) % 90'))
  const changed = await program.replay()
  expect(changed.code).toBe(2)
  expect(changed.stderr).toContain(`POST ${base}`)
})

test('a large body that is at hand has the key of the same body in pieces', async () => {
  const whole = BY_FETCH.replace('Readable.from(pieces())', 'Buffer.concat([...pieces()])')
  const program = await recordProgram(whole, { BASE: base, UPLOAD_TOKEN: SECRET })
  expect(program.recorded.stdout).toBe(`200 ${BYTES}\n`)
  expect(keysOf(program.tape)).toHaveLength(1)
  const inPieces = await recordProgram(BY_FETCH, { BASE: base, UPLOAD_TOKEN: SECRET })
  expect(keysOf(inPieces.tape)).toEqual(keysOf(program.tape))
})

function keysOf(tape: string): readonly string[] {
  return readFileSync(tape, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"effect_start"') && line.includes('"POST '))
    .map((line) => /"key":"(POST [^"]*)"/.exec(line)?.[1] ?? '')
}

function* written(folder: string): Generator<Buffer> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name !== 'agent.mjs') yield readFileSync(`${entry.parentPath}/${entry.name}`)
}
