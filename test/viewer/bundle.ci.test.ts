/**
 * A bundle on a static host: one that answers range requests, and one that sends whole files whatever it is
 * asked for.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { shows, watchedPage } from './browser.ts'
import { copied } from './made-tape.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

function staticHost(folder: string, ranges: boolean): Server {
  return createServer((request, response) => {
    const path = join(folder, decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname))
    const file = path.endsWith('/') ? `${path}index.html` : path
    if (!existsSync(file)) {
      response.writeHead(404).end()
      return
    }
    const bytes = readFileSync(file)
    const type = TYPES[extname(file)] ?? 'application/octet-stream'
    const range = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null
    if (range === null)
      response
        .writeHead(200, { 'content-type': type, 'content-length': bytes.length })
        .end(request.method === 'HEAD' ? undefined : bytes)
    else {
      const part = bytes.subarray(Number(range[1]), Number(range[2]) + 1)
      response.writeHead(206, { 'content-type': type, 'content-length': part.length }).end(part)
    }
  })
}

test.each([
  ['answers range requests', true],
  ['sends whole files', false],
])('a bundle works on a host that %s', async (_name, ranges) => {
  const folder = join(tempFolder(), 'site')
  const run = await reprise(['view', copied('tapes-0.1/chat/run.tape'), '--bundle', folder])
  expect(run.code).toBe(0)
  const host = await listening(staticHost(folder, ranges))
  onTestFinished(() => host.stop())
  const { page } = await watchedPage(host.url)
  await page.goto(`${host.url}/`)
  await shows(page, 'h1', 'node chat.mjs')
  await page.locator('.turn').nth(1).click()
  await shows(page, '.conversation', 'two')
  await page.keyboard.press('/')
  await page.keyboard.type('chat/completions')
  await shows(page, '.list-note', /^[1-9]\d* of 28 records/)
})
