import { Readable } from 'node:stream'
import fetch from 'node-fetch'
import { BASE, chunks, digest, REFUSED, step, UNKNOWN_HOST } from './ledger.mjs'

const view = async (response) => [
  response.status,
  response.statusText,
  response.url,
  [...response.headers],
  digest(await response.text()),
]
for (const path of ['/plain', '/gzip', '/redirect', '/status?code=500', '/cut', '/die', '/reset'])
  await step(path, async () => view(await fetch(BASE + path)))
await step('stream', async () => chunks((await fetch(`${BASE}/stream`)).body))
await step('upload', async () =>
  view(await fetch(`${BASE}/echo`, { method: 'POST', body: Readable.from(['one ', 'two']) })),
)
await step('signal', () => fetch(`${BASE}/hang`, { signal: AbortSignal.timeout(40) }))
await step('abort in mid-stream', async () => {
  const { body } = await fetch(`${BASE}/forever`)
  for await (const chunk of body) return digest(chunk)
})
await step('refused', () => fetch(REFUSED))
await step('unknown host', () => fetch(UNKNOWN_HOST))
