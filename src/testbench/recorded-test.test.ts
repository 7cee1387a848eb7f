import { existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { casFolder, readTapeEvents, verifyTape } from '../tape/index.ts'
import { replay } from './library/in-process.ts'
import { type RunnerFacts, runRecorded } from './recorded-test.ts'

afterEach(() => vi.unstubAllEnvs())

const runner: RunnerFacts = {
  name: 'Any',
  fakeTimers: 'fake()',
  useRealTimers: 'real()',
  areTimersFake: () => false,
  fakes: [],
  hasFailed: () => false,
}

/** Answers with how many requests it has had, and a body large enough to lie outside the line. */
async function countingServer(): Promise<{
  readonly url: string
  readonly asked: string[]
  stop(): Promise<void>
}> {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(`${asked.length} ${request.url} ${'x'.repeat(6000)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return { url: `http://127.0.0.1:${port}`, asked, stop }
}

const byFetch = async (url: string): Promise<string> => (await (await fetch(url)).text()).slice(0, 8)
const keepAlive = new http.Agent({ keepAlive: true, maxSockets: 1 })
const byHttp = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = http.get(url, { agent: keepAlive }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(text.slice(0, 8)))
    })
    request.on('error', reject)
  })

describe.each([
  ['fetch', byFetch],
  ['node:http over one connection', byHttp],
])('REPRISE_MODE=update, %s', (_name, get) => {
  test('known requests come from the tape, others go out, and the new tape has the order of the new run', async () => {
    const server = await countingServer()
    const tape = join(tempFolder(), 'a.tape')
    const ask =
      (...paths: string[]) =>
      async () => {
        const seen: string[] = []
        for (const path of paths) seen.push(await get(`${server.url}${path}`))
        return seen
      }
    vi.stubEnv('REPRISE_MODE', 'record')
    expect(await runRecorded(tape, ask('/a', '/b', '/c'), {}, runner)).toEqual([
      '1 /a xxx',
      '2 /b xxx',
      '3 /c xxx',
    ])
    vi.stubEnv('REPRISE_MODE', 'update')
    const updated = await runRecorded(tape, ask('/c', '/new', '/a', '/a'), {}, runner)
    expect(updated).toEqual(['3 /c xxx', '4 /new x', '1 /a xxx', '5 /a xxx'])
    expect(server.asked).toEqual(['/a', '/b', '/c', '/new', '/a'])
    await server.stop()
    expect(requestsOn(tape)).toEqual(['/c', '/new', '/a', '/a'])
    expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
    expect(readdirSync(casFolder(tape)).length).toBe(4)
    expect((await replay(tape, ask('/c', '/new', '/a', '/a'))).value).toEqual(updated)
  })
})

test.each<[name: string, body: () => Promise<unknown>, hasFailed: () => boolean]>([
  ['throws', () => Promise.reject(new Error('no')), () => false],
  ['fails softly', async () => 1, () => true],
])('a test that %s leaves the old tape as it was, and nothing beside it', async (_name, body, hasFailed) => {
  const tape = join(tempFolder(), 'a.tape')
  vi.stubEnv('REPRISE_MODE', 'record')
  await runRecorded(tape, async () => Math.random(), {}, runner)
  const before = readFileSync(tape)
  vi.stubEnv('REPRISE_MODE', 'update')
  await runRecorded(tape, body, {}, { ...runner, hasFailed }).catch((error: Error) =>
    expect(error.message).toBe('no'),
  )
  expect(readFileSync(tape).equals(before)).toBe(true)
  expect(readdirSync(dirname(tape))).toEqual(['a.tape'])
})

test.each([
  ['auto', '1', 'CI is set'],
  ['replay', '', 'REPRISE_MODE is replay'],
])('without a tape %s with CI=%j fails and says why', async (mode, ci, why) => {
  vi.stubEnv('REPRISE_MODE', mode)
  vi.stubEnv('CI', ci)
  const tape = join(tempFolder(), 'a.tape')
  await expect(runRecorded(tape, async () => 1, {}, runner)).rejects.toMatchObject({
    code: 'recorded-tape-missing',
    message: `there is no tape ${tape} to replay, and ${why}`,
  })
  expect(existsSync(tape)).toBe(false)
})

function requestsOn(tape: string): string[] {
  const paths: string[] = []
  for (const event of readTapeEvents(tape)) {
    if (event.type === 'record' && event.record.kind.kind === 'http_exchange')
      paths.push(new URL(event.record.kind.url).pathname)
  }
  return paths
}
