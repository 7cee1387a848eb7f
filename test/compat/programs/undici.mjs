import { PassThrough, Readable } from 'node:stream'
import { Agent, Client, fetch as npmFetch, Pool, request, setGlobalDispatcher, stream } from 'undici'
import { BASE, chunks, digest, REFUSED, step, TLS_BASE, UNKNOWN_HOST } from './ledger.mjs'

const view = async ({ statusCode, headers, body }) => [statusCode, headers, digest(await body.text())]
const fetched = async (response) => [
  response.status,
  response.url,
  [...response.headers],
  digest(await response.text()),
]
const all = async (name, options) => {
  for (const path of [
    '/plain',
    '/stream',
    '/status?code=500',
    '/binary',
    '/empty',
    '/cut',
    '/die',
    '/reset',
  ]) {
    await step(`${name} ${path}`, async () => view(await request(BASE + path, options)))
  }
}
await all('request', {})
for (const path of ['/plain', '/gzip', '/redirect'])
  await step(`npm fetch ${path}`, async () => fetched(await npmFetch(BASE + path)))
await step('global fetch', async () => fetched(await fetch(`${BASE}/plain`)))
await step('request after it', async () => view(await request(`${BASE}/plain`)))
await all('agent', { dispatcher: new Agent({ connections: 1 }) })
await step('global fetch with an agent', async () =>
  fetched(await fetch(`${BASE}/plain`, { dispatcher: new Agent() })),
)
await step('upload', async () =>
  view(await request(`${BASE}/echo`, { method: 'POST', body: Readable.from(['one ', 'two']) })),
)
await step('json', async () => view(await request(`${BASE}/echo`, { method: 'PUT', body: '{"a":1}' })))
await step('stream', async () => {
  const taken = []
  await stream(`${BASE}/stream`, { method: 'GET' }, () =>
    new PassThrough().on('data', (chunk) => taken.push(digest(chunk))),
  )
  return taken
})
const client = new Client(BASE, { pipelining: 3 })
await step('pipelined', () =>
  Promise.all(['/1', '/2', '/3'].map(async (path) => view(await client.request({ path, method: 'GET' })))),
)
await step('client', async () => chunks((await client.request({ path: '/stream', method: 'GET' })).body))
await client.close()
const pool = new Pool(BASE, { connections: 2 })
await step('pool', () =>
  Promise.all(
    ['/a', '/b', '/c', '/d'].map(async (path) => view(await pool.request({ path, method: 'GET' }))),
  ),
)
await pool.close()
await step('abort in mid-stream', async () => {
  const { body } = await request(`${BASE}/forever`)
  for await (const chunk of body) return typeof chunk
})
await step('timeout', () => request(`${BASE}/hang`, { signal: AbortSignal.timeout(40) }))
await step('refused', () => request(REFUSED))
await step('unknown host', () => request(UNKNOWN_HOST))
await step('tls', async () =>
  view(
    await request(`${TLS_BASE}/plain`, { dispatcher: new Agent({ connect: { rejectUnauthorized: false } }) }),
  ),
)
await step('certificate that nobody knows', () => request(`${TLS_BASE}/plain`))
setGlobalDispatcher(new Agent({ keepAliveTimeout: 50 }))
await step('own global dispatcher', async () => [
  await fetched(await fetch(`${BASE}/1`)),
  await view(await request(`${BASE}/2`)),
  await fetched(await fetch(`${BASE}/3`)),
])
