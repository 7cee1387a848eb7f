/**
 * The server as an attacker meets it: another page in the browser, another program on the machine, a name
 * that points at 127.0.0.1.
 */

import { copyFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openViewer } from '../../src/viewer/items/open-viewer.ts'
import { serveViewer } from '../../src/viewer/server/serve.ts'
import { createHttpSource } from '../../src/viewer/source/http-source.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PAGE = new Map([
  ['index.html', { bytes: Buffer.from('<html><head><!--reprise-boot--></head></html>'), type: 'text/html' }],
  ['assets/main.js', { bytes: Buffer.from('1'), type: 'text/javascript; charset=utf-8' }],
])

async function served() {
  const tape = join(tempFolder(), 'run.tape')
  copyFileSync(new URL('../fixtures/tape/harn-every-kind.tape', import.meta.url), tape)
  const viewer = await openViewer([tape])
  const server = await serveViewer(viewer.source, PAGE)
  onTestFinished(async () => {
    await server.close()
    await viewer.close()
  })
  const url = new URL(server.url)
  return { url, base: url.pathname, port: url.port }
}

type Answer = { status: number; headers: Record<string, unknown>; text: string; bytes: Uint8Array }

function get(
  port: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: bytes.toString('utf8'),
            bytes,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

test('the server listens on the loopback address and has a secret of 32 characters in its address', async () => {
  const { url } = await served()
  expect(url.hostname).toBe('127.0.0.1')
  expect(url.pathname).toMatch(/^\/[\w-]{32}\/$/)
})

test('the page names its source and every answer carries a strict policy', async () => {
  const { port, base } = await served()
  const page = await get(port, base)
  expect(page.status).toBe(200)
  expect(page.text).toContain(
    '<script type="application/json" id="reprise-boot">{"source":"server","api":"./api/"}</script>',
  )
  for (const path of [base, `${base}assets/main.js`, `${base}api/document`, '/']) {
    const { headers } = await get(port, path)
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

test.each([
  ['no secret', '/api/document', {}],
  ['another secret', `/${'x'.repeat(32)}/api/document`, {}],
  ['a longer secret', `/${'x'.repeat(33)}/api/document`, {}],
])('a request with %s is refused', async (_, path, headers) => {
  const { port } = await served()
  expect(await get(port, path, headers)).toMatchObject({ status: 403 })
})

test.each([
  ['a Host that an attacker chose', { host: 'evil.example' }],
  ['a Host without port', { host: '127.0.0.1' }],
  ['a foreign Origin', { origin: 'https://evil.example' }],
  ['the Origin of another port', { origin: 'http://127.0.0.1:1' }],
  ['an Origin of null', { origin: 'null' }],
  ['a request from another site', { 'sec-fetch-site': 'cross-site' }],
])('%s is refused even with the secret', async (_, headers) => {
  const { port, base } = await served()
  const refused = await get(port, `${base}api/document`, headers)
  expect(refused.status).toBe(403)
  expect(refused.text).not.toContain('items')
})

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
  const { port, base } = await served()
  expect((await get(port, `${base}api/document`, {}, method)).status).toBe(405)
})

test.each([
  '../package.json',
  '%2e%2e/package.json',
  'assets/../../../etc/passwd',
  'assets/',
  'nothing',
  'api/',
  'api/nothing',
  'api/constructor',
  'api/__proto__',
])('no path leads out of the page: %s', async (path) => {
  const { port, base } = await served()
  expect((await get(port, base + path)).status).toBe(404)
})

test.each([
  ['rows', '["0"]'],
  ['rows', '["0",{"filter":{},"from":"0","count":1}]'],
  ['rows', '["0",{"filter":{"kinds":"llm_call"},"from":0,"count":1}]'],
  ['rows', '[0,{}]'],
  ['details', '["0",null]'],
  ['details', '["0",1,2]'],
  ['overview', '{'],
  ['payload', '["0",1,0,1]'],
])('arguments of another shape are refused: %s %s', async (method, args) => {
  const { port, base } = await served()
  expect((await get(port, `${base}api/${method}?p=${encodeURIComponent(args)}`)).status).toBe(400)
})

test.each(['cas:../../secret', 'line:999', 'cas:', 'file:///etc/passwd', `cas:${'0'.repeat(64)}`])(
  'a reference that names nothing is a problem: %s',
  async (ref) => {
    const { port, base } = await served()
    const answer = await get(
      port,
      `${base}api/payload?p=${encodeURIComponent(JSON.stringify(['0', ref, 0, 10]))}`,
    )
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'payload-missing' })
  },
)

test('the source of the page reads the same over HTTP as on disk', async () => {
  const { port, base } = await served()
  const source = createHttpSource(`${base}api/`, {
    get: async (url) => {
      const { status, bytes } = await get(port, url)
      return { ok: status < 400, status, bytes }
    },
    listen: () => () => undefined,
  })
  expect((await source.document()).items).toMatchObject([{ id: '0', type: 'tape', name: 'run.tape' }])
  const window = await source.rows('0', { filter: { kinds: ['llm_call'] }, from: 0, count: 10 })
  expect(window.rows).toMatchObject([{ kind: 'llm_call', lane: 'llm', title: 'mock: fidelity-response' }])
  const line = await source.payload('0', `line:${window.rows[0]?.row}`, 0, 16)
  expect(new TextDecoder().decode(line)).toBe('{"type":"record"')
  await expect(source.details('0', 10_000)).rejects.toMatchObject({ code: 'row-missing' })
})
