import { Readable } from 'node:stream'
import axios from 'axios'
import { BASE, chunks, digest, REFUSED, step, UNKNOWN_HOST } from './ledger.mjs'

const view = ({ status, headers, data }) => [status, headers, data]
for (const path of ['/plain', '/gzip', '/redirect', '/status?code=429', '/cut', '/die', '/reset']) {
  await step(path, async () => view(await axios.get(BASE + path)))
}
await step('binary', async () =>
  digest((await axios.get(`${BASE}/binary`, { responseType: 'arraybuffer' })).data),
)
await step('stream', async () => chunks((await axios.get(`${BASE}/stream`, { responseType: 'stream' })).data))
await step('json', async () => view(await axios.post(`${BASE}/echo`, { a: 1 })))
await step('upload', async () => view(await axios.put(`${BASE}/echo`, Readable.from(['one ', 'two']))))
await step('timeout', () => axios.get(`${BASE}/hang`, { timeout: 40 }))
await step('signal', () => axios.get(`${BASE}/hang`, { signal: AbortSignal.timeout(40) }))
await step('refused', () => axios.get(REFUSED))
await step('unknown host', () => axios.get(UNKNOWN_HOST))
