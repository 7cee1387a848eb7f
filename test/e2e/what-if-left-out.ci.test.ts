/**
 * A what-if whose program leaves out a part of its run and goes on: an agent that catches the failure of one
 * turn. What follows comes from the tape as recorded, though the part between was never requested.
 */
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { listening } from '../support/listening.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'
import { seqOf, whatIf } from '../support/what-if.ts'

const SERVER = `
import readline from 'node:readline'
let calls = 0
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  calls += 1
  const result = method === 'initialize'
    ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'sums', version: '1' } }
    : { content: [{ type: 'text', text: 'call ' + calls }] }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

const agent = (url: string): string => `
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import readline from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
const server = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
readline.createInterface({ input: server.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  // An answer to a call that was never made would throw here.
  waiting.get(id)(result)
  waiting.delete(id)
})
let id = 0
const call = (method, params) => new Promise((resolve) => {
  id += 1
  waiting.set(id, resolve)
  server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n')
})
await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } })
for (let turn = 0; turn < 3; turn += 1) {
  try {
    const response = await fetch('${url}', { method: 'POST', body: JSON.stringify({ turn, id: randomUUID() }) })
    if (!response.ok) throw new Error('status ' + response.status)
    const answer = await response.text()
    const { content } = await call('tools/call', { name: 'add', arguments: { turn } })
    const echo = execFileSync('echo', ['turn', String(turn)], { encoding: 'utf8' }).trim()
    await sleep(5)
    writeFileSync('turn-' + turn + '.txt', answer)
    console.log(turn, answer, content[0].text, echo, readFileSync('turn-' + turn + '.txt', 'utf8'))
  } catch (error) {
    console.log(turn, 'failed', error.cause?.code ?? error.message)
  }
}
server.stdin.end()
console.log('server', await new Promise((resolve) => server.on('close', resolve)))
`

async function recordedTurns(): Promise<RecordedProgram> {
  let requests = 0
  const { url, stop } = await listening(
    createServer((_request, response) => {
      requests += 1
      response.end(`answer ${requests}`)
    }),
  )
  const program = await recordProgram(agent(url), {}, 'agent.mjs', [], { 'server.mjs': SERVER })
  await stop()
  expect(program.recorded.stdout, program.recorded.stderr).toBe(lines().join(''))
  return program
}

/** What the agent prints; a turn that failed prints why. */
function lines(failed: Readonly<Record<number, string>> = {}): string[] {
  const turns = [0, 1, 2].map((turn) => {
    const answer = `answer ${turn + 1}`
    return failed[turn] === undefined
      ? `${turn} ${answer} call ${turn + 2} turn ${turn} ${answer}\n`
      : `${turn} failed ${failed[turn]}\n`
  })
  return [...turns, 'server 0\n']
}

const rows: readonly [edit: string, turn: number, why: string][] = [
  ['{"status":500}', 0, 'status 500'],
  ['{"error":"ECONNRESET"}', 1, 'ECONNRESET'],
  ['{"status":429}', 2, 'status 429'],
]

test('a turn that fails leaves the others as they were recorded', async () => {
  const program = await recordedTurns()
  for (const [edit, turn, why] of rows) {
    let found = -1
    const response = seqOf(program, ({ kind }) => {
      if (kind.kind === 'http_exchange') found += 1
      return found === turn
    })
    const made = await whatIf(program, [`${response}=${edit}`])
    expect(made.stdout, made.stderr).toBe(lines({ [turn]: why }).join(''))
    expect(made.code, made.stderr).toBe(0)
    expect(made.report).toMatchObject({ refused: [], nearest: [] })
    expect(made.stderr).toMatch(/it did not do: MCP call sums tools\/call \(record \d+\)/)
    expect(made.stderr).toContain(`it did not do: sync echo turn ${turn} @ *`)
    const replayed = await reprise(['replay', made.out], { cwd: program.folder })
    expect(replayed, replayed.stderr).toMatchObject({ code: 0, stdout: made.stdout, stderr: '' })
  }
}, 60_000)
