/**
 * Many calls of an MCP server at once, over pipes: answers in any order, progress, errors, cancellations,
 * races against timers, requests of the server. Recorded once; every replay comes out as recorded, also for a
 * client that gives its calls other ids.
 */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { campaignSize, scaled } from '../support/campaign.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What it prints holds no id: `name` is how the client of this run calls its n-th call. */
const storm = (name: string): string => `
  import { spawn } from 'node:child_process'
  import { createHash } from 'node:crypto'
  const nameOf = ${name}
  const ledger = createHash('sha256')
  const say = (...words) => ledger.update(words.join(' ') + '\\n')
  const server = spawn(process.execPath, ['server.mjs'], { cwd: process.env.SERVER_FOLDER })
  const waiting = new Map()
  const progress = new Map()
  let rest = ''
  const write = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  server.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, method, params, result, error } = JSON.parse(line)
      if (method === 'sampling/createMessage') { say('asked', params.n); write({ id, result: { at: Date.now() } }) }
      else if (method === 'notifications/progress') progress.get(params.progressToken)?.(params)
      else { waiting.get(id)?.(JSON.stringify(result ?? error)); waiting.delete(id) }
    }
  })
  let calls = 0
  const call = (method, params, heard) => {
    const id = nameOf(calls++)
    if (heard !== undefined) progress.set(id, heard)
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    write({ id, method, params: heard === undefined ? params : { ...params, _meta: { progressToken: id } } })
    return { id, answer }
  }
  const tool = (name, n, heard) => call('tools/call', { name, arguments: { n } }, heard)
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms, 'timer'))
  await call('initialize', { protocolVersion: 'x' }).answer
  write({ method: 'notifications/initialized' })
  const kinds = [
    async (n) => say(n, await tool('plain', n).answer),
    async (n) => say(n, await Promise.all([1, 2, 3].map((i) => tool('plain', i).answer.then((answer) => (say(n, i, 'came'), answer))))),
    async (n) => say(n, await tool('steps', n, ({ progress, random }) => say(n, progress, random)).answer),
    async (n) => say(n, await tool('fail', n).answer),
    async (n) => say(n, await tool('sample', n).answer),
    async (n) => say(n, 'won', await Promise.race([tool('plain', n).answer, sleep(n % 9)])),
    async (n) => { const { id, answer } = tool('plain', n); const won = await Promise.race([answer, sleep(1)]); if (won === 'timer') write({ method: 'notifications/cancelled', params: { requestId: id } }); say(n, won) },
  ]
  let next = 0
  const rounds = Number(process.env.ROUNDS)
  await Promise.all(Array.from({ length: 10 }, async () => { while (next < rounds) { const n = next++; await kinds[n % kinds.length](n) } }))
  await sleep(30)
  server.stdin.end()
  server.on('close', (code) => console.log(ledger.digest('hex'), calls, code))
`

test('every replay of a storm of calls comes out as recorded', async () => {
  const folder = tempFolder()
  copyFileSync(
    fileURLToPath(new URL('../fixtures/mcp-storm-server.mjs', import.meta.url)),
    join(folder, 'server.mjs'),
  )
  const program = await recordProgram(storm('(n) => n'), {
    SERVER_FOLDER: folder,
    ROUNDS: String(scaled(4000, 100)),
  })
  rmSync(folder, { recursive: true })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  for (let time = 0; time < (campaignSize === 'short' ? 1 : 3); time += 1) {
    const { report, stdout } = await program.replay()
    expect(report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
    expect(stdout).toBe(program.recorded.stdout)
  }
  program.change(storm("(n) => 'call-' + n * 7"))
  const { report, stdout } = await program.replay()
  expect(report).toMatchObject({ divergences: [], unused: [] })
  expect(stdout).toBe(program.recorded.stdout)
})
