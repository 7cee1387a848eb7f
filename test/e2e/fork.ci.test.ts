/** What a fork and `what-if --then live` do with subprocesses, files, models and variables. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { digestOf } from '../support/forked-agent.ts'
import { listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
const say = async (name, body) => {
  try { console.log(name + ': ' + (await body())) } catch (error) { console.log(name + ': failed ' + (error.cause?.code ?? error.code)) }
}
const ask = async (text) => {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: text }] })
  const response = await fetch(process.env.URL_OF_MODEL + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()).choices[0].message.content
}
let answer = ''
await say('plan', () => readFileSync('plan.txt', 'utf8').trim())
writeFileSync('draft.txt', 'first ')
await say('model', async () => { answer = await ask('first'); return answer })
await say('mood', () => process.env.MOOD)
await say('again', () => ask('second after ' + answer))
appendFileSync('draft.txt', 'second')
await say('draft', () => readFileSync('draft.txt', 'utf8'))
await say('size', () => statSync('draft.txt').size)
await say('unknown', () => (process.env.MOOD === 'curious' ? readFileSync('unknown.txt', 'utf8') : 'not read'))
await say('cat', () => execFileSync('cat', ['draft.txt'], { encoding: 'utf8' }))
await say('child', () => spawnSync('sh', ['-c', 'printf child > made.txt; pwd'], { encoding: 'utf8' }).stdout.trim().split('/').pop())
await say('made', () => existsSync('made.txt') && readFileSync('made.txt', 'utf8'))
await say('removed', () => { rmSync('draft.txt'); return existsSync('draft.txt') })
writeFileSync('result.txt', answer)
`

let folder = ''
let tape = ''
let url = ''
let stop = async (): Promise<void> => undefined
const models: string[] = []

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { model, messages } = JSON.parse(Buffer.concat(parts).toString())
    models.push(model)
    const content = `${model} on ${messages[0].content}`
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      }),
    )
  })
  const listens = await listening(server)
  url = listens.url
  stop = listens.stop
  folder = join(tempFolder(), 'agent')
  mkdirSync(folder)
  writeFileSync(join(folder, 'agent.mjs'), AGENT)
  writeFileSync(join(folder, 'plan.txt'), 'the plan\n')
  tape = join(folder, '..', 'run.tape')
  const recorded = await reprise(['record', '--out', tape, '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
    env: { ...process.env, URL_OF_MODEL: url, MOOD: 'calm' },
  })
  expect(recorded.code, recorded.stderr).toBe(0)
  for (const name of ['made.txt', 'result.txt']) rmSync(join(folder, name))
}, 60_000)
afterAll(() => stop())

function seqOf(wanted: (kind: { kind: string; [name: string]: unknown }) => boolean): number {
  const lines = readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1)
  return lines.map((line) => JSON.parse(line)).find(({ kind }) => wanted(kind)).seq
}

const firstCall = (): number => seqOf(({ kind }) => kind === 'llm_call')

function lines(stdout: string): Record<string, string> {
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]),
  )
}

async function run(args: readonly string[]) {
  const out = join(tempFolder(), 'new.tape')
  const [command = '', ...rest] = args
  const made = await reprise([command, tape, '--out', out, ...rest], { cwd: folder })
  const replayed = await reprise(['replay', out], { cwd: folder })
  expect(replayed.stdout, replayed.stderr).toBe(made.stdout.replace(/^diff --git[\s\S]*$/m, ''))
  expect(replayed.code).toBe(made.code)
  return { ...made, out, lines: lines(made.stdout) }
}

const at = (): readonly string[] => ['fork', '--at', String(firstCall())]

test('subprocesses of a fork run in the sandbox, with the files of the fork', async () => {
  const before = digestOf(folder)
  const sandbox = join(tempFolder(), 'sandbox')
  const made = await run([...at(), '--live', 'llm,process', '--sandbox', sandbox])
  expect(made.lines).toMatchObject({
    again: 'small on second after small on first',
    draft: 'first second',
    size: '12',
    cat: 'first second',
    child: 'sandbox',
    made: 'child',
    removed: 'false',
  })
  expect(readFileSync(join(sandbox, 'result.txt'), 'utf8')).toBe('small on first')
  expect(existsSync(join(sandbox, 'draft.txt'))).toBe(false)
  expect(digestOf(folder)).toBe(before)
}, 60_000)

test('without a sandbox subprocesses are refused, and files are in the overlay', async () => {
  const before = digestOf(folder)
  const made = await run([...at(), '--live', 'llm', '--env', 'MOOD=curious', '--model-map', 'small=large'])
  expect(made.lines).toMatchObject({
    plan: 'the plan',
    model: 'small on first',
    mood: 'curious',
    again: 'large on second after small on first',
    draft: 'first second',
    unknown: 'failed replay-diverged',
    cat: 'failed replay-diverged',
    // A subprocess made it in the recorded run, and did not run here.
    made: 'failed replay-diverged',
    removed: 'false',
  })
  expect(models.at(-1)).toBe('large')
  expect(digestOf(folder)).toBe(before)
  expect(await reprise([...at().slice(0, 1), tape, ...at().slice(1), '--live', 'process'])).toMatchObject({
    code: 64,
  })
}, 60_000)

test('with live files, what the tape does not know is read from the disk', async () => {
  writeFileSync(join(folder, 'unknown.txt'), 'on the disk')
  const before = digestOf(folder)
  const made = await run([...at(), '--live', 'llm,files', '--env', 'MOOD=curious'])
  expect(made.lines).toMatchObject({ unknown: 'on the disk', draft: 'first second' })
  expect(digestOf(folder)).toBe(before)
  rmSync(join(folder, 'unknown.txt'))
}, 60_000)

test('--apply shows the diff, and writes it to the folder of the program', async () => {
  const made = await run([...at(), '--live', 'llm', '--apply'])
  expect(made.stdout).toContain('+++ b/result.txt\n@@ -0,0 +1 @@\n+small on first\n')
  expect(readFileSync(join(folder, 'result.txt'), 'utf8')).toBe('small on first')
  rmSync(join(folder, 'result.txt'))
}, 60_000)

test('what-if --then live: exact until the program requests something new', async () => {
  const before = digestOf(folder)
  const asked = models.length
  const edit = `${firstCall()}={"json":{"$.choices[0].message.content":"another answer"}}`
  const made = await run(['what-if', '--set', edit, '--then', 'live', 'llm'])
  expect(made.lines).toMatchObject({ model: 'another answer', again: 'small on second after another answer' })
  expect(models.length - asked).toBe(1)
  expect(digestOf(folder)).toBe(before)
  const header = JSON.parse(readFileSync(made.out, 'utf8').split('\n')[0] ?? '')
  expect(header).toMatchObject({
    parent: { name: 'run.tape' },
    edits: [{}],
    fork: { at: null, live: ['llm'] },
  })
}, 60_000)

test('what-if --then nearest: the closest recorded response, by name', async () => {
  const asked = models.length
  const edit = `${firstCall()}={"json":{"$.choices[0].message.content":"another answer"}}`
  const made = await run(['what-if', '--set', edit, '--then', 'nearest'])
  expect(made.lines).toMatchObject({ model: 'another answer', again: 'small on second after small on first' })
  expect(made.stderr).toContain('answered with the response of record')
  expect(models.length).toBe(asked)
}, 60_000)

/** Sends lines of several lengths over a connection of the tape, and asks the model after each. */
const SENDERS = {
  tcp: `
import net from 'node:net'
const socket = net.connect(Number(new URL(process.env.URL_OF_PEER).port), '127.0.0.1')
export const send = (text) => new Promise((resolve) => {
  socket.once('data', (data) => resolve(String(data)))
  socket.write(text)
})
export const close = () => socket.end()
`,
  http2: `
import http2 from 'node:http2'
const session = http2.connect(process.env.URL_OF_PEER)
export const send = (text) => new Promise((resolve, reject) => {
  const stream = session.request({ ':path': '/', ':method': 'POST' })
  let all = ''
  stream.on('data', (data) => { all += data })
  stream.on('end', () => resolve(all))
  stream.on('error', reject)
  stream.end(text)
})
export const close = () => session.close()
`,
} as const

const PEERS = {
  tcp: () => createTcpServer((socket) => socket.on('data', (data) => socket.write(`got ${data.length}`))),
  http2: () =>
    createHttp2Server((request, response) => request.on('end', () => response.end('got')).resume()),
} as const

test.each(['tcp', 'http2'] as const)(
  'a live fork writes what is sent over %s before its answer',
  async (name) => {
    const peer = PEERS[name]()
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = peer.address() as AddressInfo
      const own = join(tempFolder(), 'sender')
      mkdirSync(own)
      writeFileSync(join(own, 'sender.mjs'), SENDERS[name])
      writeFileSync(
        join(own, 'agent.mjs'),
        `import { close, send } from './sender.mjs'
for (const length of [3, 40, 7, 120, 1]) {
  console.log(await send('x'.repeat(length)))
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'after ' + length }] })
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await fetch(process.env.URL_OF_MODEL + '/v1/chat/completions', options)
  console.log((await response.json()).choices[0].message.content)
}
close()
`,
      )
      const recorded = join(own, '..', 'run.tape')
      const record = ['record', '--out', recorded, '--', process.execPath, 'agent.mjs']
      const env = { ...process.env, URL_OF_MODEL: url, URL_OF_PEER: `http://127.0.0.1:${port}` }
      expect(await reprise(record, { cwd: own, env })).toMatchObject({ code: 0 })
      const records = (path: string) =>
        readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line) => JSON.parse(line))
      // What was sent and what came, without the model's side, in the order of the tape.
      const crossed = (path: string): readonly string[] =>
        records(path)
          .map(({ kind }) => kind)
          .filter(
            ({ kind, stream }) => kind === 'http2_frame' || (kind === 'stream_chunk' && stream === 'sent'),
          )
          .filter(({ direction, frame }) => direction === 'out' && frame !== 'goaway')
          .map(({ frame = '', stream, data }) => `${frame} ${stream} ${JSON.stringify(data)}`)
      // The second message follows this record: it is longer than the third.
      const at = records(recorded).find(({ kind }) => kind.kind === 'llm_call').seq
      const out = join(own, '..', 'new.tape')
      const made = await reprise(['fork', recorded, '--at', String(at), '--live', 'llm', '--out', out], {
        cwd: own,
      })
      expect(made.code, made.stderr).toBe(0)
      expect(crossed(out)).toEqual(crossed(recorded))
      const order = records(out).map(({ kind }) => (kind.kind === 'llm_call' ? 'call' : kind.direction))
      // Something is sent between any two calls of the model.
      expect(
        order
          .join(' ')
          .split('call')
          .slice(0, -1)
          .every((part) => part.includes('out')),
      ).toBe(true)
      expect(await reprise(['replay', out], { cwd: own })).toMatchObject({ code: 0, stdout: made.stdout })
    } finally {
      peer.close()
    }
  },
)
