import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { label } from '../base/index.ts'
import { createScrubber } from '../scrub/index.ts'
import { fromDisk, fromReprise } from '../scrub/scrubbed.ts'
import type { Chunk, HeaderPairs } from './fields.ts'
import { createHeader } from './header.ts'
import { createStreamingRecorder } from './recorder.ts'
import { scrubTape } from './scrub-tape.ts'
import { verifyTape } from './verify.ts'
import { TapeWriter } from './writer.ts'

const KEY = `sk-ant-api03-${'Ab3dEf6hIj'.repeat(9)}AA`
const OTHER = 'hunter2-in-the-environment'
const make = () => createScrubber({ env: { SERVICE_PASSWORD: OTHER } })

describe('scrubbing a tape', () => {
  test('leaves no secret in any byte of the copy, and the copy is whole', async () => {
    const path = leakyTape()
    const out = join(tempFolder(), 'clean.tape')
    const report = await scrubTape(path, out, make)
    expect(report.found).toBeGreaterThanOrEqual(8)
    expect(report.sealed).toBe(true)
    const bytes = everyByte(out)
    for (const secret of [KEY, OTHER]) expect(bytes).not.toContain(secret)
    for (const part of [KEY.slice(0, 40), KEY.slice(-40), OTHER.slice(0, 12)])
      expect(bytes).not.toContain(part)
    expect(await verifyTape(out)).toMatchObject({ ok: true, sealed: true, findings: [], records: 9 })
  })

  test('finds nothing more in its own copy, and copies it byte for byte', async () => {
    const first = join(tempFolder(), 'clean.tape')
    await scrubTape(leakyTape(), first, make)
    expect(await scrubTape(first, null, make)).toMatchObject({ found: 0, places: [] })
    const second = join(tempFolder(), 'again.tape')
    await scrubTape(first, second, make)
    expect(readFileSync(second)).toEqual(readFileSync(first))
  })

  test('only judging writes nothing and names the records', async () => {
    const path = leakyTape()
    const before = everyByte(path)
    const report = await scrubTape(path, null, make)
    expect(report.places.map(({ seq }) => seq)).toEqual([null, 0, 1, 2, 3, 6])
    expect(everyByte(path)).toBe(before)
  })

  test('keeps what it does not know, scrubbed, with its number spellings', async () => {
    const path = join(tempFolder(), 'foreign.tape')
    const header =
      '{"type":"header","version":1,"harn_version":"9","started_at_unix_ms":null,"script_path":null,"argv":[]}'
    const record = (kind: string): string =>
      `{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":${kind}}`
    writeFileSync(
      path,
      `${header}\n${record(`{"kind":"teleport","n":1.0,"to":"${KEY}"}`)}\n${record(`{"kind":"clock_sleep","duration_ms":1,"why":{"x":1.50,"k":"${KEY}"}}`)}\n`,
    )
    const out = `${path}.clean`
    await scrubTape(path, out, make)
    expect(readFileSync(out, 'utf8').split('\n').slice(1, 3)).toEqual([
      record('{"kind":"teleport","n":1.0,"to":"<redacted:anthropic_key>"}'),
      record('{"kind":"clock_sleep","duration_ms":1,"why":{"x":1.50,"k":"<redacted:anthropic_key>"}}'),
    ])
  })

  test('keeps a plain cookie in a request if an answer on the tape has issued it', async () => {
    const path = servedTape([
      ['request', 'theme=dark; visits=1; pin=4711'],
      ['answer', 'theme=dark; Path=/'],
      ['answer', 'visits=1'],
      ['request', 'theme=light; visits=2; theme=dark'],
    ])
    const out = `${path}.clean`
    expect(await scrubTape(path, out, make)).toMatchObject({ found: 3 })
    const cookies = readFileSync(out, 'utf8').matchAll(/"cookie","(.*?)"/g)
    expect([...cookies].map(([, value]) => value)).toEqual([
      'theme=dark; visits=1; pin=<redacted:cookie>',
      'theme=<redacted:cookie#2>; visits=<redacted:cookie#3>; theme=dark',
    ])
    expect(await scrubTape(out, null, make)).toMatchObject({ found: 0 })
  })

  test('keeps who has ended the run', async () => {
    const path = servedTape([])
    const out = `${path}.clean`
    await scrubTape(path, out, make)
    expect(readFileSync(out, 'utf8')).toContain('"ended_by":"program"')
  })

  test('refuses a damaged tape and an existing file', async () => {
    const path = leakyTape()
    await expect(scrubTape(path, path, make)).rejects.toMatchObject({ code: 'out-exists' })
    writeFileSync(path, readFileSync(path, 'utf8').replace('"seq":2', 'oops'))
    await expect(scrubTape(path, null, make)).rejects.toMatchObject({ code: 'tape-line-damaged' })
  })
})

/** A tape of a server, with a cookie header in each record. */
function servedTape(messages: readonly (readonly ['request' | 'answer', string])[]): string {
  const path = join(tempFolder(), 'served.tape')
  const writer = TapeWriter.open(path, fromDisk(createHeader({})))
  const recorder = createStreamingRecorder(writer, { now: () => 0, monotonicMs: () => 0 })
  const head = { of: 1, method: fromDisk<string>('GET'), target: fromDisk<string>('/') }
  for (const [type, cookie] of messages) {
    const headers = fromDisk<HeaderPairs>([[type === 'request' ? 'cookie' : 'set-cookie', cookie]])
    if (type === 'request') recorder.record({ kind: 'server_request', ...head, headers })
    else recorder.record({ kind: 'server_answer', of: 1, status: 200, statusText: fromDisk('OK'), headers })
  }
  const exit = fromDisk({ code: null, signal: 'SIGTERM' })
  writer.close({ exit, endedBy: label('program') })
  return path
}

function leakyTape(): string {
  const path = join(tempFolder(), 'leaky.tape')
  const writer = TapeWriter.open(path, fromDisk(createHeader({ argv: ['--api-key', KEY] })))
  const recorder = createStreamingRecorder(writer, { now: () => 0, monotonicMs: () => 0 })
  const bytes = (text: string) => fromDisk<Uint8Array>(Buffer.from(text))
  const small = recorder.payloadFromBytes(bytes(`the key is ${KEY}`))
  const large = recorder.payloadFromBytes(bytes(`${'x'.repeat(6000)} ${OTHER} ${'y'.repeat(10)}`))
  const empty = recorder.payloadFromBytes(bytes(''))
  recorder.record({ kind: 'llm_call', requestDigest: small.contentHash, response: small })
  recorder.record({
    kind: 'file_read',
    path: fromDisk('notes.txt'),
    contentHash: large.contentHash,
    lenBytes: 6038,
    payload: large,
  })
  recorder.record({
    kind: 'process_spawn',
    program: fromDisk('curl'),
    args: fromDisk(['-H', `Authorization: Bearer ${KEY}`]),
    cwd: null,
    exitCode: 0,
    durationMs: 1,
    stdoutPayload: small,
    stderrPayload: empty,
  })
  recorder.record({
    kind: 'http_exchange',
    id: 1,
    method: fromDisk('GET'),
    url: fromDisk(`https://x.test/?api_key=${OTHER}`),
    requestHeaders: fromDisk<HeaderPairs>([['X-Api-Key', KEY]]),
    status: 200,
    responseHeaders: [],
  })
  for (const [n, part] of [KEY.slice(0, 30), KEY.slice(30), ' done'].entries()) {
    recorder.record({
      kind: 'stream_chunk',
      of: 7,
      n,
      direction: 'in',
      data: recorder.chunkFromBytes(bytes(part)),
    })
  }
  recorder.record({ kind: 'stream_end', of: 7, error: null })
  recorder.record({
    kind: 'random_read',
    api: label('Math.random'),
    data: fromDisk<Chunk>({ form: 'text', text: '0.25' }),
  })
  writer.close(fromReprise({ exit: { code: 0, signal: null } }))
  return path
}

function everyByte(path: string): string {
  const entries = readdirSync(join(path, '..'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return entries.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
}
