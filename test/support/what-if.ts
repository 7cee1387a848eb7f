/** A recorded agent with every kind of record that an edit fits, and runs of `reprise what-if` on it. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { readTapeEvents, type TapeRecord } from '../../src/tape/index.ts'
import type { TravelReport } from '../../src/testbench/program/travel-settings.ts'
import { reprise } from './cli.ts'
import { listening } from './listening.ts'
import { type RecordedProgram, recordProgram } from './recorded-program.ts'
import type { ChildRun } from './run-child.ts'

const agent = (url: string): string => `
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, unlink } from 'node:fs/promises'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import http from 'node:http'
const say = (name, value) => console.log(name + ': ' + value)
const attempt = async (name, body) => {
  const before = Date.now()
  try { say(name, await body()) } catch (error) {
    say(name, 'failed ' + (error.cause?.code ?? error.code ?? error.name))
  }
  if (Date.now() - before >= 4000) say(name, 'late')
}
const post = (path, options = {}) => fetch('${url}' + path, { method: 'POST', body: '{"model":"m","messages":[]}', headers: { 'content-type': 'application/json' }, ...options })
await attempt('model', async () => {
  const response = await post('/v1/chat/completions', { signal: AbortSignal.timeout(3000) })
  return response.status + ' ' + response.headers.get('x-kind') + ' ' + (await response.json()).choices[0].message.content
})
await attempt('packed', async () => (await post('/packed')).json().then((value) => value.text))
await attempt('events', async () => (await post('/events')).text().then((text) => text.replace(/\\n+/g, '|')))
await attempt('failing', async () => (await post('/failing')).status)
await attempt('http', () => new Promise((resolve, reject) => {
  http.get('${url}/plain', (response) => {
    let text = ''
    response.on('data', (data) => { text += data })
    response.on('end', () => resolve(text))
    response.on('error', reject)
  }).on('error', reject)
}))
await attempt('file', () => readFileSync('plan.txt', 'utf8').trim())
await attempt('file later', async () => (await readFile('plan.txt', 'utf8')).trim())
await attempt('exists', () => existsSync('plan.txt'))
await attempt('write', () => { writeFileSync('out.txt', 'x'); return 'written' })
await attempt('delete', () => unlink('out.txt').then(() => 'deleted'))
await attempt('run', () => execFileSync('echo', ['hi'], { encoding: 'utf8' }).trim())
await attempt('run twice', () => { const { status, stderr } = spawnSync('sh', ['-c', 'echo warn >&2']); return status + ' ' + String(stderr).trim() })
await attempt('child', () => new Promise((resolve) => {
  const child = spawn('sh', ['-c', 'echo out; echo err >&2; exit 3'])
  let text = ''
  child.stdout.on('data', (data) => { text += 'out=' + String(data).trim() + ' ' })
  child.stderr.on('data', (data) => { text += 'err=' + String(data).trim() + ' ' })
  child.on('close', (code) => resolve(text.split(' ').sort().join(' ').trim() + ' ' + code))
}))
await attempt('variable', () => process.env.MOOD ?? 'none')
await attempt('sleep', () => new Promise((resolve) => setTimeout(() => resolve('slept'), 20)))
`

const BODIES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/v1/chat/completions': [
    'application/json',
    '{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hello"}}]}',
  ],
  '/events': ['text/event-stream', 'data: {"n":1}\n\ndata: {"n":2}\n\n'],
  '/plain': ['text/plain', '0123456789'],
}

export const RECORDED: Readonly<Record<string, string>> = {
  model: '200 recorded hello',
  packed: 'packed',
  events: 'data: {"n":1}|data: {"n":2}|',
  failing: 'failed UND_ERR_SOCKET',
  http: '0123456789',
  file: 'the plan',
  'file later': 'the plan',
  exists: 'true',
  write: 'written',
  delete: 'deleted',
  run: 'hi',
  'run twice': '0 warn',
  child: 'err=err out=out 3',
  variable: 'none',
  sleep: 'slept',
}

export async function recordedForEdits(): Promise<RecordedProgram> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/failing') return void response.destroy()
    response.setHeader('x-kind', 'recorded')
    if (path === '/packed') {
      response.setHeader('content-encoding', 'gzip')
      response.setHeader('content-type', 'application/json')
      return void response.end(gzipSync('{"text":"packed"}'))
    }
    const [type, body] = BODIES[path] ?? ['text/plain', '']
    response.setHeader('content-type', type)
    response.setHeader('content-length', String(Buffer.byteLength(body)))
    return void response.end(body)
  })
  const { url, stop } = await listening(server)
  const program = await recordProgram(agent(url), {}, 'agent.mjs', [], { 'plan.txt': 'the plan\n' })
  await stop()
  expect(linesOf(program.recorded.stdout)).toEqual(RECORDED)
  return program
}

/** What the program printed, by name. A name that was printed twice has both values. */
export function linesOf(stdout: string): Record<string, string> {
  const lines: Record<string, string> = {}
  for (const line of stdout.trimEnd().split('\n')) {
    const at = line.indexOf(': ')
    const [name, value] = [line.slice(0, at), line.slice(at + 2)]
    lines[name] = name in lines ? `${lines[name]}, ${value}` : value
  }
  return lines
}

/** The number of the first record that `wanted` accepts. */
export function seqOf({ tape }: RecordedProgram, wanted: (record: TapeRecord) => boolean): number {
  for (const event of readTapeEvents(tape))
    if (event.type === 'record' && wanted(event.record)) return event.record.seq
  throw new Error('no such record')
}

let runs = 0

export async function whatIf(
  { folder, tape }: RecordedProgram,
  sets: readonly string[],
  ...options: string[]
): Promise<ChildRun & { readonly out: string; readonly report: TravelReport | null }> {
  runs += 1
  const out = join(folder, `what-if-${runs}.tape`)
  const report = join(folder, `what-if-${runs}.json`)
  const flags = sets.flatMap((set) => ['--set', set])
  const run = await reprise(['what-if', tape, '--out', out, '--report', report, ...flags, ...options], {
    cwd: folder,
  })
  return { ...run, out, report: readIf(report) }
}

function readIf(path: string): TravelReport | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // The run was refused before it began.
    return null
  }
}
