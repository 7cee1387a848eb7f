/** Harn's tape drives a run (A110): programs that a user writes against a tape without any field of ours. */
import { execFileSync } from 'node:child_process'
import fs, { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { contentHash, utf8 } from '../../../src/base/index.ts'
import { replay } from '../../../src/entry/index.ts'
import { foreignTape, type Row, replayForeign, rows, START_MS } from '../../support/foreign-tape.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { same } from '../../support/upstream.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/tape')

async function replayed(
  made: readonly Row[],
  source: string,
  options: Parameters<typeof replayForeign>[3] = {},
) {
  const { folder, tape } = foreignTape(made)
  return await replayForeign(tape, folder, source, options)
}

const FAITHFUL = { verdict: 'faithful', foreign: true, sealed: false, divergences: [], reasons: [] }

const WITH_MODULES = { modules: true } as const

const CALL = `
const ask = async (url, body) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return response
}
`

describe("Harn's own tapes", () => {
  const program = (reads: number) => `
import { setTimeout as sleep } from 'node:timers/promises'
${CALL}
const times = []
for (let n = 0; n < ${reads}; n += 1) times.push(Date.now())
const response = await ask('https://api.openai.com/v1/chat/completions', { model: 'mock', messages: [{ role: 'user', content: 'replay test' }] })
console.log((await response.json()).choices[0].message.content)
await sleep(1000)
times.push(Date.now(), Date.now())
console.log(times.join(' '))
`
  const copied = (name: string): { folder: string; tape: string } => {
    const folder = tempFolder()
    const tape = join(folder, name)
    cpSync(join(fixtures, name), tape)
    return { folder, tape }
  }

  same('A110', "a tape in upstream's own form drives a run", async () => {
    const { folder, tape } = copied('harn-0.8.4.tape')
    const { code, stdout, stderr, report } = await replayForeign(tape, folder, program(1))
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`fidelity-response\n${START_MS} ${START_MS + 1000} ${START_MS + 1000}\n`)
    expect(report).toMatchObject({ ...FAITHFUL, clock_reads: { extra: 0, missing: 0 } })
  })

  test("clock reads of upstream's winding-down are counted, and no program has to make them", async () => {
    const { folder, tape } = copied('harn-0.8.26-replay-fidelity.tape')
    const { code, report } = await replayForeign(tape, folder, program(2))
    expect(code).toBe(0)
    expect(report).toMatchObject({ ...FAITHFUL, clock_reads: { extra: 0, missing: 2 } })
    const atExit = `process.on('exit', () => { Date.now(); Date.now() })\n${program(2)}`
    const all = await replayForeign(tape, folder, atExit, { args: ['--mode', 'byte-identical'] })
    expect([all.code, all.report.clock_reads.missing]).toEqual([0, 0])
  })
})

describe('each sort of record', () => {
  test('clocks, by their source', async () => {
    const made = [
      rows.wall(START_MS),
      rows.wall(START_MS + 5),
      rows.monotonic(40),
      rows.monotonic(41),
      rows.monotonic(42),
    ]
    const source = `
console.log(performance.timeOrigin, Date.now(), new Date().toISOString(), performance.now(), process.hrtime.bigint(), process.hrtime())
`
    const { code, stdout, report } = await replayed(made, source)
    expect(stdout).toBe(`${START_MS} ${START_MS} 2026-01-01T00:00:00.005Z 40 41000000n [ 0, 42000000 ]\n`)
    expect([code, report]).toEqual([0, expect.objectContaining(FAITHFUL)])
  })

  test('sleeps of every form, in CommonJS; timers that guard something do not fire', async () => {
    const made = [rows.sleep(250), rows.wall(START_MS + 250), rows.sleep(50), rows.sleep(50), rows.sleep(20)]
    const source = `
const { setTimeout: sleep } = require('node:timers/promises')
const guard = setTimeout(() => console.log('too late'), 5000)
AbortSignal.timeout(30000)
const main = async () => {
  await sleep(250)
  console.log(Date.now())
  let n = 0
  await new Promise((resolve) => {
    const interval = setInterval(() => { n += 1; if (n === 2) { clearInterval(interval); resolve() } }, 50)
  })
  setTimeout(() => { console.log('done', n); clearTimeout(guard) }, 20)
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setTimeout(resolve, 0))
}
main()
`
    const { code, stdout, report } = await replayed(made, source, { name: 'agent.cjs' })
    expect([code, stdout]).toEqual([0, `${START_MS + 250}\ndone 2\n`])
    expect(report).toMatchObject(FAITHFUL)
  })

  test('files: read, written, appended to, deleted, and read again', async () => {
    const made = [
      rows.read('/elsewhere/plan.md', 'the plan\n'),
      rows.read('notes.txt', 'ü'.repeat(3000)),
      rows.write('out/answer.txt', 'an answer'),
      rows.write('log.txt', 'one line\n'),
      rows.read('out/answer.txt', 'an answer', false),
      rows.remove('out/answer.txt'),
      rows.read('empty.txt', '', false),
    ]
    const source = `
import { readFileSync, writeFileSync, appendFileSync, promises } from 'node:fs'
import { rm } from 'node:fs/promises'
const plan = readFileSync('/elsewhere/plan.md', 'utf8')
const notes = await promises.readFile('./notes.txt')
writeFileSync('out/answer.txt', 'an answer')
appendFileSync('log.txt', 'one line\\n')
console.log(plan.trim(), notes.length, await promises.readFile('out/answer.txt', 'utf8'))
await rm('out/answer.txt')
console.log(readFileSync('empty.txt').length)
`
    const { code, stdout, stderr, report } = await replayed(made, source)
    expect([code, stderr, stdout]).toEqual([0, '', 'the plan 6000 an answer\n0\n'])
    expect(report).toMatchObject(FAITHFUL)
  })

  test('subprocesses, at once and running', async () => {
    const made = [
      rows.spawn('git', ['status'], 'On branch main\n'),
      rows.spawn('make', ['test'], 'failed\n', 2),
      rows.wall(START_MS),
    ]
    const source = `
import { execFileSync, spawn } from 'node:child_process'
console.log(execFileSync('git', ['status'], { encoding: 'utf8' }).trim())
const child = spawn('make', ['test'])
child.stdout.on('data', (bytes) => console.log(String(bytes).trim()))
child.on('close', (code) => console.log(code, typeof child.pid, Date.now()))
`
    const { code, stdout, report } = await replayed(made, source)
    expect([code, stdout]).toEqual([0, `On branch main\nfailed\n2 number ${START_MS}\n`])
    expect(report).toMatchObject(FAITHFUL)
  })

  const TOOL = { id: 'call_1', type: 'tool_call', name: 'look', arguments: { at: 'here' } }
  const readers = `
const events = (text) => [...text.matchAll(/^data: (.*)$/gm)].filter(([, data]) => data !== '[DONE]').map(([, data]) => JSON.parse(data))
const openai = 'https://api.openai.com/v1'
const user = (content) => [{ role: 'user', content }]
const parts = (text) => [{ role: 'user', parts: [{ text }] }]
const google = 'https://generativelanguage.googleapis.com/v1beta/models/mock'
`
  // Each row: the call of a program, and how it finds the text of the answer.
  const providers = [
    [
      'chat completions',
      "ask(openai + '/chat/completions', { model: 'mock', messages: user(PROMPT) })",
      '(await r.json()).choices[0].message.content',
    ],
    [
      'chat completions, streamed',
      "ask(openai + '/chat/completions', { model: 'mock', stream: true, messages: user(PROMPT) })",
      "events(await r.text()).map(({ choices: [c] }) => c?.delta.content ?? '').join('')",
    ],
    [
      'responses',
      "ask(openai + '/responses', { model: 'mock', input: PROMPT })",
      '(await r.json()).output[0].content[0].text',
    ],
    [
      'responses, streamed',
      "ask(openai + '/responses', { model: 'mock', stream: true, input: user(PROMPT) })",
      "events(await r.text()).find(({ type }) => type === 'response.completed').response.output[0].content[0].text",
    ],
    [
      'messages',
      "ask('https://api.anthropic.com/v1/messages', { model: 'mock', max_tokens: 9, messages: user(PROMPT) })",
      '(await r.json()).content[0].text',
    ],
    [
      'messages, streamed',
      "ask('https://api.anthropic.com/v1/messages', { model: 'mock', max_tokens: 9, stream: true, messages: user([{ type: 'text', text: PROMPT }]) })",
      "events(await r.text()).map(({ delta }) => delta?.text ?? '').join('')",
    ],
    [
      'Gemini',
      "ask(google + ':generateContent', { contents: parts(PROMPT) })",
      '(await r.json()).candidates[0].content.parts[0].text',
    ],
    [
      'Gemini, streamed',
      "ask(google + ':streamGenerateContent?alt=sse', { contents: parts(PROMPT) })",
      'events(await r.text())[0].candidates[0].content.parts[0].text',
    ],
    [
      'Ollama',
      "ask('http://127.0.0.1:11434/api/chat', { model: 'mock', stream: false, messages: user(PROMPT) })",
      '(await r.json()).message.content',
    ],
    [
      'Ollama, streamed',
      "ask('http://127.0.0.1:11434/api/chat', { model: 'mock', messages: user(PROMPT) })",
      "(await r.text()).trim().split('\\n').map((l) => JSON.parse(l).message.content).join('')",
    ],
    [
      'Ollama, generate',
      "ask('http://127.0.0.1:11434/api/generate', { model: 'mock', stream: false, prompt: PROMPT })",
      '(await r.json()).response',
    ],
  ] as const

  test('calls of a model, in the form of every API', async () => {
    const made = providers.map(([name]) => rows.llm(`ask ${name}`, { text: `answer of ${name}` }))
    const calls = providers.map(
      ([name, call, text]) =>
        `{ const r = await ${call.replace('PROMPT', JSON.stringify(`ask ${name}`))}; console.log(${text}) }`,
    )
    const { code, stdout, stderr, report } = await replayed(made, [CALL, readers, ...calls].join('\n'))
    expect(stderr).toBe('')
    expect(stdout).toBe(providers.map(([name]) => `answer of ${name}\n`).join(''))
    expect([code, report]).toEqual([0, expect.objectContaining(FAITHFUL)])
  })

  test('a tool call, in the form of every API', async () => {
    const made = providers.map(([name]) => rows.llm(`ask ${name}`, { tool_calls: [TOOL] }))
    const calls = providers.map(
      ([name, call]) =>
        `{ const r = await ${call.replace('PROMPT', JSON.stringify(`ask ${name}`))}; console.log((await r.text()).includes('look')) }`,
    )
    const { code, stdout, report } = await replayed(made, [CALL, readers, ...calls].join('\n'))
    // Ollama's `generate` has no tools.
    expect(stdout).toBe(`${'true\n'.repeat(providers.length - 1)}false\n`)
    expect(report.divergences.map(({ category }) => category)).toEqual(['llm_response_hash'])
    expect(code).toBe(2)
  })

  const TOOLS = { result: { tools: [{ name: 'search', inputSchema: { type: 'object' } }] } }
  const FOUND = { result: { content: [{ type: 'text', text: 'issue 12' }] } }
  const calls = [
    rows.mcp('tools/list', {}, TOOLS),
    rows.wall(START_MS),
    rows.mcp('tools/call', { name: 'search', arguments: { query: 'clock' } }, FOUND),
    rows.mcp(
      'tools/call',
      { name: 'search', arguments: { query: 'none' } },
      { error: { message: 'timed out' } },
    ),
  ]
  const client = (transport: string, query = 'clock'): string => `
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(${transport})
const { tools } = await client.listTools()
console.log(tools[0].name, Date.now())
const search = (query) => client.callTool({ name: 'search', arguments: { query } })
const result = await search('${query}').catch((error) => ({ content: [{ text: error.message }] }))
console.log(result.content[0].text)
console.log(await search('none').catch((error) => error.message))
await client.close()
`
  test.each([
    ['a subprocess', "new StdioClientTransport({ command: 'github-mcp', args: ['stdio'] })"],
    ['HTTP', "new StreamableHTTPClientTransport(new URL('https://mcp.example.com/mcp'))"],
  ])('MCP over %s', async (_name, transport) => {
    const { code, stdout, stderr, report } = await replayed(calls, client(transport), WITH_MODULES)
    expect(stderr).toBe('')
    expect(stdout).toBe(`search ${START_MS}\nissue 12\nMCP error -32000: timed out\n`)
    expect([code, report]).toEqual([0, expect.objectContaining(FAITHFUL)])
  })
})

describe('a program that has changed', () => {
  test('another call of MCP', async () => {
    const { tape } = foreignTape([rows.mcp('tools/call', { name: 'a' }, { result: {} })])
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'b' } })
    const run = replay(tape, () => fetch('https://mcp.example.com/mcp', { method: 'POST', body }))
    await expect(run).rejects.toThrow(
      'Replay diverged at record 0: expected mcp_json_rpc github tools/call, got mcp_json_rpc tools/call {"name":"b"}',
    )
  })

  const made = [
    rows.read('plan.md', 'the plan'),
    rows.wall(START_MS),
    rows.llm('what now', { text: 'write' }),
    rows.sleep(1000),
    rows.write('out.txt', 'done'),
  ]
  const ask = async (content = 'what now'): Promise<void> => {
    const body = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }] })
    const headers = { 'content-type': 'application/json' }
    await (
      await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', headers, body })
    ).text()
  }
  const steps = {
    read: () => fs.promises.readFile('plan.md', 'utf8'),
    clock: () => Promise.resolve(Date.now()),
    ask: () => ask(),
    sleep: () => sleep(1000),
    write: () => fs.promises.writeFile('out.txt', 'done'),
  }
  type Steps = { readonly [name: string]: () => Promise<unknown> }
  /** What the first divergence says; null if the run is faithful. */
  const divergence = async (changed: Steps, made: readonly Row[]): Promise<string | null> => {
    const { tape } = foreignTape(made)
    const run = async (): Promise<void> => {
      for (const step of Object.values(changed)) await step()
    }
    const failed = await replay(tape, run).then(
      ({ report }) => (report.verdict === 'faithful' && report.foreign ? null : new Error(report.verdict)),
      (error: Error) => error,
    )
    return failed?.message ?? null
  }

  test('and one that has not', async () => {
    expect(await divergence(steps, made)).toBe(null)
  })

  const { read, clock, ...rest } = steps
  const CHANGES: readonly (readonly [name: string, changed: Steps, message: RegExp])[] = [
    [
      'another path',
      { ...steps, read: () => fs.promises.readFile('other.md') },
      /^Replay diverged at record 0: expected file_read "plan\.md", got readFile other\.md/,
    ],
    [
      'another order',
      { clock, read, ...rest },
      /expected file_read "plan\.md", got Date\.now \(clock_read wall\)/,
    ],
    [
      'one more read',
      { read, again: read, clock, ...rest },
      /expected clock_read wall, got readFile plan\.md/,
    ],
    [
      'one more clock read',
      { read, clock, again: clock, ...rest },
      /expected llm_call [0-9a-f]{12}…, got Date\.now/,
    ],
    [
      'the other clock',
      { ...steps, clock: () => Promise.resolve(performance.now()) },
      /expected clock_read wall, got performance\.now/,
    ],
    [
      'another prompt',
      { ...steps, ask: () => ask('what then') },
      /expected llm_call [0-9a-f]{12}…, got llm_call [0-9a-f]{12}… \(POST https:/,
    ],
    [
      'another duration',
      { ...steps, sleep: () => sleep(500) },
      /expected clock_sleep 1000 ms, got timers\.promises\.setTimeout 500/,
    ],
    [
      'another content',
      { ...steps, write: () => fs.promises.writeFile('out.txt', 'gone') },
      /file_write "out\.txt" has another content/,
    ],
    [
      'another file',
      { ...steps, write: () => fs.promises.writeFile('out.md', 'done') },
      /expected file_write "out\.txt", got writeFile out\.md/,
    ],
    [
      'a call that Harn does not record',
      { ...steps, read: async () => fs.statSync('plan.md') },
      /expected file_read "plan\.md", got stat plan\.md/,
    ],
    [
      'an end that is missing',
      { read, clock, ask: steps.ask, sleep: steps.sleep },
      /^The program ended before record 4: the tape goes on with file_write "out\.txt"/,
    ],
  ]
  test.each(CHANGES)('%s', async (_name, changed, message) => {
    expect(await divergence(changed, made)).toMatch(message)
  })

  test('another order ends with 2, and records that are left over are named one by one', async () => {
    const { code, stderr, report } = await replayed(
      made,
      "import { readFileSync } from 'node:fs'\nreadFileSync('plan.md')\n",
    )
    expect(code).toBe(2)
    expect(report.divergences.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(report.divergences[2]?.message).toBe('Record 3 was not requested: clock_sleep 1000 ms')
    expect(stderr).toContain('3 more follow from this')
  })

  test('numbers of records that repeat do no harm to the run, and are damage of the tape', async () => {
    const { folder, tape } = foreignTape([rows.wall(1), rows.wall(2), rows.read('a.txt', 'a')])
    fs.writeFileSync(tape, fs.readFileSync(tape, 'utf8').replaceAll(/"seq":\d/g, '"seq":0'))
    const source = `console.log(Date.now(), Date.now(), require('node:fs').readFileSync('a.txt', 'utf8'))`
    const { stdout, report } = await replayForeign(tape, folder, source, { name: 'agent.cjs' })
    expect(stdout).toBe('1 2 a\n')
    expect(report).toMatchObject({ verdict: 'unverified', divergences: [] })
  })

  test('effects under way at the same time are delivered in the order of the tape', async () => {
    const two = [rows.read('b.txt', 'b'), rows.wall(START_MS), rows.read('a.txt', 'a'), rows.sleep(5)]
    const { code, stdout, report } = await replayed(
      two,
      `
import { readFile } from 'node:fs/promises'
const ended = []
await Promise.all([
  readFile('a.txt', 'utf8').then((text) => ended.push(text)),
  readFile('b.txt', 'utf8').then((text) => ended.push(text, Date.now())),
  new Promise((resolve) => setTimeout(resolve, 5)).then(() => ended.push('slept')),
])
console.log(ended.join(' '))
`,
    )
    expect([code, stdout]).toEqual([0, `b ${START_MS} a slept\n`])
    expect(report).toMatchObject(FAITHFUL)
  })
})

describe('what a replay cannot serve', () => {
  test('a record without its payload is refused by name', async () => {
    const missing = (hash: string) => ({ content_hash: hash.repeat(64), len_bytes: 5000 })
    const made: readonly Row[] = [
      rows.read('plan.md', 'gone', false),
      { kind: { kind: 'llm_call', request_digest: 'a'.repeat(64), response: missing('b') } },
      { kind: { ...rows.spawn('git', ['log'], '').kind, stdout_payload: missing('c') } },
    ]
    const source = `
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
${CALL}
const refused = async (call) => { try { await call() } catch (error) { console.log((error.cause ?? error).message) } }
await refused(() => readFileSync('plan.md'))
await refused(() => ask('https://api.openai.com/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x' }] }))
await refused(() => execFileSync('git', ['log']))
`
    const { code, stdout, report } = await replayed(made, source)
    expect([code, report.verdict]).toEqual([2, 'diverged'])
    const messages = report.divergences.map(({ message }) => message)
    expect(messages.map((message) => message.split(';')[0])).toEqual([
      'Record 0 cannot be served: file_read "plan.md" has no payload',
      'Record 1 cannot be served: llm_call aaaaaaaaaaaa… has no payload',
      'Record 2 cannot be served: process_spawn git log has no payload',
    ])
    expect(messages[2]).toContain(`.cas/${'c'.repeat(64)} is missing`)
    expect(stdout.trimEnd().split('\n')).toEqual(messages)
  })

  test('the library refuses it in the same way', async () => {
    const { tape } = foreignTape([
      { kind: { ...rows.spawn('git', ['log'], '').kind, stdout_payload: MISSING } },
    ])
    const run = replay(tape, () => execFileSync('git', ['log']))
    await expect(run).rejects.toThrow('Record 0 cannot be served: process_spawn git log has no payload')
  })

  test('a kind that a replay cannot serve leaves the verdict unverified', async () => {
    const response = { content_hash: contentHash(utf8('{}')), text: '{}' }
    const evaluation = { kind: 'decision_evaluation', request_digest: `blake3:${'a'.repeat(64)}`, response }
    const { tape } = foreignTape([{ kind: evaluation }, rows.wall(START_MS)])
    const { report } = await replay(tape, () => Date.now())
    expect(report).toMatchObject({ verdict: 'unverified', divergences: [] })
    expect(report.reasons).toContainEqual('record 0 is a decision_evaluation, which a replay cannot serve')
  })
})

const MISSING = { content_hash: 'd'.repeat(64), len_bytes: 5000 }
