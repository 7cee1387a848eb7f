/**
 * A recorded agent over all that a fork can make live: model calls that stream (by `fetch` and by
 * `node:http`), parallel calls, an MCP server, subprocesses, files, timers. And forks of it, each replayed
 * alone.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listening } from './listening.ts'
import { type ChildRun, runChild } from './run-child.ts'
import { tempFolder } from './temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

const SERVER = `
import readline from 'node:readline'
let calls = 0
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'sums', version: '1' } } })
  if (method !== 'tools/call') return
  calls += 1
  const { a, b } = params.arguments
  setTimeout(() => send({ id, result: { content: [{ type: 'text', text: (a + b) + ' by call ' + calls }] } }), 2)
})
`

const AGENT = `
import { execFile, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import readline from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const urlOf = (text) => process.env.MODEL_URL + '/v1/chat/completions?q=' + text.replace(' ', '-')
const say = async (name, body) => {
  try { console.log(name, await body()) } catch (error) { console.log(name, 'failed', error.cause?.code ?? error.code) }
}
const bodyOf = (text) => JSON.stringify({ model: 'small', stream: true, messages: [{ role: 'user', content: text }] })
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.MODEL_API_KEY }
const words = (text) => text.split('\\n').filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)).choices[0].delta.content).join('')
const ask = async (text) => {
  const response = await fetch(urlOf(text), { method: 'POST', headers, body: bodyOf(text) })
  let all = ''
  for await (const chunk of response.body) all += Buffer.from(chunk)
  return words(all)
}
const askPlain = (text) => new Promise((resolve, reject) => {
  const request = http.request(urlOf(text), { method: 'POST', headers }, (response) => {
    let all = ''
    response.on('data', (data) => { all += data })
    response.on('end', () => resolve(words(all)))
    response.on('error', reject)
  })
  request.on('error', reject)
  request.end(bodyOf(text))
})

const server = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
readline.createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line)
  waiting.get(message.id)?.(message)
})
let id = 0
const call = (method, params) => new Promise((resolve) => {
  id += 1
  waiting.set(id, ({ result, error }) => resolve(result?.content?.[0].text ?? error?.code ?? 'ready'))
  server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n')
})
await say('server', () => call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } }))
server.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\\n')

await say('plan', () => readFileSync('plan.txt', 'utf8').trim())
const every = setInterval(() => {}, 40)
for (let turn = 0; turn < 4; turn += 1) {
  const started = performance.now()
  await say('model', () => ask('turn ' + turn))
  await say('both', async () => (await Promise.all([ask('left ' + turn), ask('right ' + turn)])).join(' '))
  await say('plain', () => askPlain('plain ' + turn))
  await say('sum', () => call('tools/call', { name: 'add', arguments: { a: turn, b: 1 } }))
  await say('echo', () => execFileSync('echo', ['turn', String(turn)], { encoding: 'utf8' }).trim())
  await say('shell', () => new Promise((resolve, reject) => {
    execFile('sh', ['-c', 'echo out; echo err >&2'], (error, out, err) => (error ? reject(error) : resolve(out.trim() + err.trim())))
  }))
  await say('log', async () => { appendFileSync('log.txt', 'turn ' + turn + '\\n'); return (await readFile('log.txt', 'utf8')).length })
  await say('notes', async () => { mkdirSync('notes', { recursive: true }); await writeFile('notes/' + turn + '.txt', String(Math.random() < 2)); return existsSync('notes/' + turn + '.txt') })
  await sleep(3)
  await say('race', () => Promise.race([ask('race ' + turn), sleep(1, 'timer')]).then((value) => typeof value))
  await say('time', () => performance.now() >= started)
}
clearInterval(every)
await say('listed', () => readdirSync('notes').length)
await say('written', () => { writeFileSync('result.txt', 'done'); return readFileSync('result.txt', 'utf8') })
server.stdin.end()
await say('end', () => new Promise((resolve) => server.on('close', resolve)))
`

export type ForkedAgent = {
  readonly folder: string
  readonly tape: string
  /** The last record of the program itself: states of files and the seal follow. */
  readonly records: number
  readonly node: string
  /** What the model server was asked, in order. */
  requests(): readonly string[]
  /** What the tape has asked up to a record. */
  requestsUpTo(seq: number): readonly string[]
  stop(): Promise<void>
}

const KEY = 'sk-test-0123456789abcdefghijklmnop'

export async function recordForkedAgent(node = process.execPath): Promise<ForkedAgent> {
  const folder = join(tempFolder(), 'forked')
  mkdirSync(folder)
  writeFileSync(join(folder, 'agent.mjs'), AGENT)
  writeFileSync(join(folder, 'server.mjs'), SERVER)
  writeFileSync(join(folder, 'plan.txt'), 'the plan\n')
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    requests.push(request.url ?? '')
    response.setHeader('content-type', 'text/event-stream')
    for (const word of ['an', 'answer'])
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'small', choices: [{ index: 0, delta: { content: word } }] })}\n\n`,
      )
    setImmediate(() => response.end('data: [DONE]\n\n'))
  })
  const { url, stop } = await listening(server)
  const tape = join(folder, '..', 'run.tape')
  const recorded = await runChild(node, [bin, 'record', '--quiet', '--out', tape, '--', node, 'agent.mjs'], {
    cwd: folder,
    env: { ...process.env, MODEL_URL: url, MODEL_API_KEY: KEY },
  })
  if (recorded.code !== 0) throw new Error(recorded.stderr)
  const lines = readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1)
  const starts = lines.map((line): { seq: number; kind: { kind: string; key?: string } } => JSON.parse(line))
  return {
    folder,
    tape,
    node,
    records: starts.findLast(({ kind }) => kind.kind !== 'file_state' && kind.kind !== 'tape_seal')?.seq ?? 0,
    requests: () => requests,
    requestsUpTo: (seq) =>
      starts
        .filter((record) => record.seq <= seq && record.kind.kind === 'effect_start')
        .flatMap(({ kind }) => /\/v1\/chat\/completions\?q=[\w-]+/.exec(kind.key ?? '')?.[0] ?? []),
    stop,
  }
}

export type Fork = {
  readonly forked: ChildRun
  readonly replayed: ChildRun
  readonly out: string
  /** What the model server was asked while the fork ran. */
  readonly requests: readonly string[]
  readonly changed: boolean
}

/** Forks the agent, and replays the new tape where neither its parent nor a key is. */
export async function forkAgent(
  agent: ForkedAgent,
  at: number,
  live: string,
  ...options: readonly string[]
): Promise<Fork> {
  const out = join(tempFolder(), 'fork.tape')
  const before = digestOf(agent.folder)
  const asked = agent.requests().length
  const forked = await runChild(
    agent.node,
    [bin, 'fork', agent.tape, '--at', String(at), '--live', live, '--out', out, ...options],
    { cwd: agent.folder, env: { ...process.env, MODEL_API_KEY: KEY } },
  )
  const requests = agent.requests().slice(asked)
  const changed = digestOf(agent.folder) !== before
  const replayed = await runChild(agent.node, [bin, 'replay', out], { cwd: agent.folder })
  return { forked, replayed, out, requests, changed }
}

/** Of names and contents of everything in a folder. */
export function digestOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
    const path = join(folder, name)
    hash.update(name)
    if (statSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}
