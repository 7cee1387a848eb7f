import { Readable } from 'node:stream'
import got from 'got'
import { BASE, chunks, digest, REFUSED, step, UNKNOWN_HOST } from './ledger.mjs'

const once = { retry: { limit: 0 } }
const view = ({ statusCode, rawHeaders, body, url, retryCount, timings }) => [
  statusCode,
  rawHeaders,
  digest(body),
  url,
  retryCount,
  timings,
]
for (const path of ['/plain', '/gzip', '/redirect', '/status?code=404', '/cut', '/die', '/reset']) {
  await step(path, async () => view(await got(BASE + path, once)))
}
await step('stream', () => chunks(got.stream(`${BASE}/stream`)))
await step('json', () => got.post(`${BASE}/echo`, { json: { a: 1 } }).json())
await step('upload', () => got.put(`${BASE}/echo`, { body: Readable.from(['one ', 'two']) }).json())
await step('retry', async () =>
  view(await got(`${BASE}/status?code=503`, { retry: { limit: 2 }, throwHttpErrors: false })),
)
await step('timeout', () => got(`${BASE}/hang`, { ...once, timeout: { request: 40 } }))
await step('abort in mid-stream', async () => {
  const stream = got.stream(`${BASE}/forever`)
  for await (const chunk of stream) return digest(chunk)
})
await step('refused', () => got(REFUSED, once))
await step('unknown host', () => got(UNKNOWN_HOST, once))
