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

describe('an updated tape is a small change of the old one', () => {
  /** Answers chats in the form of OpenAI, streamed, and anything else as one text. */
  async function modelServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const server = http.createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const asked = Buffer.concat(chunks).toString()
        const words = asked.includes('loud') ? ['HE', 'LLO'] : ['he', 'llo']
        response.setHeader('content-type', 'text/event-stream')
        const events = words.map((content) =>
          JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] }),
        )
        response.end([...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}`,
      stop: () =>
        new Promise((resolve) => {
          server.closeAllConnections()
          server.close(() => resolve())
        }),
    }
  }

  /** Six turns that take in clocks, randomness, the environment, files and a streamed answer. */
  const agent = (url: string, prompts: readonly string[]) => async () => {
    const seen: unknown[] = []
    for (const content of prompts) {
      const at = new Date().toISOString()
      await new Promise((resolve) => setTimeout(resolve, 2))
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': crypto.randomUUID() },
        body: JSON.stringify({
          model: 'm',
          stream: true,
          messages: [{ role: 'user', content: `${at} ${performance.now()} ${Math.random()} ${content}` }],
        }),
      })
      seen.push(
        await response.text(),
        process.env.PATH,
        process.hrtime.bigint(),
        readFileSync('package.json').length,
      )
    }
    return seen
  }
  const prompts = ['one', 'two', 'three', 'four', 'five', 'six']

  test('an update that changes one answer changes its lines and the seal', async () => {
    const server = await modelServer()
    const tape = join(tempFolder(), 'a.tape')
    vi.stubEnv('REPRISE_MODE', 'record')
    await runRecorded(tape, agent(server.url, prompts), {}, runner)
    const before = readFileSync(tape, 'utf8').split('\n')
    vi.stubEnv('REPRISE_MODE', 'update')
    const changed = agent(server.url, prompts.with(2, 'loud'))
    const updated = await runRecorded(tape, changed, {}, runner)
    await server.stop()
    const after = readFileSync(tape, 'utf8').split('\n')
    expect(updated.join()).toContain('HE')
    expect(before.length).toBeGreaterThan(60)
    expect(after).toHaveLength(before.length)
    const kinds = changedLines(before, after).map((line) => JSON.parse(line).kind.kind)
    // Whether the end comes in the turn of the last chunk is up to the network.
    expect(kinds.filter((kind) => kind !== 'stream_end')).toEqual([
      'effect_start',
      'http_exchange',
      'stream_chunk',
      'llm_call',
      'tape_seal',
    ])
    expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
    expect((await replay(tape, changed)).value).toEqual(updated)
  })

  test('an update without a change changes no record', async () => {
    const server = await modelServer()
    const tape = join(tempFolder(), 'a.tape')
    vi.stubEnv('REPRISE_MODE', 'record')
    await runRecorded(tape, agent(server.url, prompts), {}, runner)
    const before = readFileSync(tape, 'utf8').split('\n')
    await server.stop()
    vi.stubEnv('REPRISE_MODE', 'update')
    await runRecorded(tape, agent(server.url, prompts), {}, runner)
    const after = readFileSync(tape, 'utf8').split('\n')
    expect(changedLines(before, after).filter((line) => !line.includes('tape_seal'))).toEqual([])
  })

  /** Without the facts of the connection, which a request from the tape does not open. */
  function changedLines(before: readonly string[], after: readonly string[]): string[] {
    return after.filter((line, at) => line !== before[at] && !line.includes('"data":{"text":"{}\\n"}'))
  }

  test('more answers than before: the clock goes on, times never go back, and the tape replays', async () => {
    const server = await modelServer()
    const tape = join(tempFolder(), 'a.tape')
    vi.stubEnv('REPRISE_MODE', 'record')
    await runRecorded(tape, agent(server.url, prompts.slice(0, 2)), {}, runner)
    const last = Date.parse(timesOn(tape).at(-1) ?? '')
    vi.stubEnv('REPRISE_MODE', 'update')
    const longer = agent(server.url, prompts)
    const updated = await runRecorded(tape, longer, {}, runner)
    await server.stop()
    const times = timesOn(tape).map((at) => Date.parse(at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect((times.at(-1) ?? 0) - last).toBeLessThan(60_000)
    expect((await replay(tape, longer)).value).toEqual(updated)
  })

  function timesOn(tape: string): string[] {
    const found: string[] = []
    for (const event of readTapeEvents(tape))
      if (event.type === 'record') found.push(new Date(event.record.virtualTimeMs).toISOString())
    return found
  }
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
