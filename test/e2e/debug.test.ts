/**
 * `reprise debug` with a real client of the debugger protocol: stops after a record, shows recorded values,
 * and leaves the run faithful, whatever the person evaluates.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { listening } from '../support/listening.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

const agent = (url: string): string => `
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
const started = Date.now()
const plan = readFileSync('plan.txt', 'utf8').trim()
async function ask(question) {
  const response = await fetch('${url}/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: question }] }),
    signal: AbortSignal.timeout(3000),
  })
  const answer = (await response.json()).choices[0].message.content
  const length = started > 0 ? answer.length : 0
  return answer + ' ' + length
}
const first = await ask(plan)
const date = execFileSync('echo', [first]).toString().trim()
const second = await ask(date)
console.log(second, Date.now() >= started)
`

async function recordedAgent(): Promise<RecordedProgram> {
  let calls = 0
  const server = createServer((_request, response) => {
    calls += 1
    const choices = [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `answer ${calls}` } },
    ]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices }))
  })
  const { url, stop } = await listening(server)
  const program = await recordProgram(agent(url), {}, 'agent.mjs', [], { 'plan.txt': 'the plan\n' })
  await stop()
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'answer 2 8 true\n' })
  return program
}

type Debugged = {
  readonly stdout: () => string
  readonly stderr: () => string
  /** The next line of stderr that contains `text`. */
  line(text: string): Promise<string>
  type(command: string): void
  readonly exit: Promise<number | null>
}

const running: { kill(): void }[] = []
afterEach(() => {
  for (const each of running.splice(0)) each.kill()
})

function debug({ folder, tape }: RecordedProgram, ...options: string[]): Debugged {
  const child = spawn(process.execPath, [bin, 'debug', tape, ...options], { cwd: folder })
  running.push({ kill: () => child.kill('SIGKILL') })
  let [out, err, from] = ['', '', 0]
  const waiting = new Set<() => void>()
  child.stdout.on('data', (data) => (out += String(data)))
  child.stderr.on('data', (data) => {
    err += String(data)
    for (const look of waiting) look()
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
  return {
    stdout: () => out,
    stderr: () => err,
    exit,
    type: (command) => void child.stdin.write(`${command}\n`),
    line: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = err.indexOf(text, from)
          const end = err.indexOf('\n', at)
          if (at < 0 || end < 0) return
          from = end
          waiting.delete(look)
          resolve(err.slice(err.lastIndexOf('\n', at) + 1, end))
        }
        waiting.add(look)
        look()
        void exit.then(() => {
          look()
          reject(new Error(`no line with ${text} in ${err}`))
        })
      }),
  }
}

type Client = {
  send(method: string, params?: object): Promise<Record<string, unknown>>
  paused(): Promise<{ callFrames: { callFrameId: string; url: string; location: { lineNumber: number } }[] }>
  close(): void
}

async function connect(line: string): Promise<Client> {
  const socket = new WebSocket(`ws://${/ws=(\S+)/.exec(line)?.[1]}`)
  const answers = new Map<number, (message: Record<string, unknown>) => void>()
  const pauses: unknown[] = []
  const waiting: ((params: unknown) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (typeof message.id === 'number') answers.get(message.id)?.(message.result ?? message)
    if (message.method === 'Debugger.paused') {
      const next = waiting.shift()
      if (next === undefined) pauses.push(message.params)
      else next(message.params)
    }
  })
  await new Promise((resolve) => socket.once('open', resolve))
  let id = 0
  return {
    send(method, params = {}) {
      id += 1
      const mine = id
      socket.send(JSON.stringify({ id: mine, method, params }))
      return new Promise((resolve) => answers.set(mine, resolve))
    },
    paused: () =>
      new Promise((resolve) => {
        const known = pauses.shift()
        if (known === undefined) waiting.push((params) => resolve(params as never))
        else resolve(known as never)
      }),
    close: () => socket.close(),
  }
}

const resultOf = (answer: Record<string, unknown>): unknown => (answer.result as { value?: unknown }).value

test('stops after the first model call, shows its values, evaluates without a trace and ends faithful', async () => {
  const program = await recordedAgent()
  const run = debug(program, '--at-call', '1')
  const client = await connect(await run.line('DevTools'))
  expect(await run.line('paused after record')).toContain('agent.mjs:')
  await client.send('Runtime.enable')
  await client.send('Debugger.enable')
  const { callFrames } = await client.paused()
  const evaluate = (expression: string) =>
    client.send('Debugger.evaluateOnCallFrame', {
      callFrameId: callFrames[0]?.callFrameId,
      expression,
      returnByValue: true,
    })
  expect(resultOf(await evaluate('question'))).toBe('the plan')
  const now = resultOf(await evaluate('Date.now()'))
  expect(now).toBe(resultOf(await evaluate('started')))
  const refused =
    "(() => { try { setTimeout(() => 0, 1); return 'ran' } catch (error) { return error.code } })()"
  expect(resultOf(await evaluate(refused))).toBe('debug-refused')
  const fetched = await client.send('Runtime.evaluate', { expression: "fetch('http://127.0.0.1:1/')" })
  expect(fetched.result).toMatchObject({ subtype: 'promise' })
  expect(resultOf(await evaluate('process.env.HOME !== 1'))).toBe(true)
  void client.send('Debugger.resume')
  expect(await run.exit).toBe(0)
  expect(run.stdout()).toBe('answer 2 8 true\n')
  expect(run.stderr()).toContain('replay faithful')
})

test('a variable that is changed makes the verdict unverified', async () => {
  const run = debug(await recordedAgent(), '--at-call', '2')
  const client = await connect(await run.line('DevTools'))
  await run.line('paused after record')
  await client.send('Debugger.enable')
  const { callFrames } = await client.paused()
  await client.send('Debugger.evaluateOnCallFrame', {
    callFrameId: callFrames[0]?.callFrameId,
    expression: 'globalThis.seen = 1',
  })
  void client.send('Debugger.resume')
  expect(await run.exit).toBe(2)
  expect(run.stderr()).toContain('state was changed in the debugger')
})

test('the prompt goes to a record, to the next one and back; quit ends cleanly', async () => {
  const run = debug(await recordedAgent(), '--at', '1')
  expect(await run.line('paused after record 1')).toContain('agent.mjs:')
  run.type('where')
  await run.line('at ')
  run.type('next-record')
  expect(await run.line('paused after record')).toMatch(/record [2-9]/)
  run.type('goto 0')
  expect(await run.line('paused after record 0')).toContain('agent.mjs:5')
  run.type('nonsense')
  await run.line('is not a command')
  run.type('quit')
  expect(await run.exit).toBe(0)
})

test.each([
  [['--at', '99999'], 'debug-no-record'],
  [['--at-call', '9'], 'debug-no-record'],
  [['--at', '1', '--at-call', '1'], 'usage'],
])('%j is refused before anything runs', async (options, code) => {
  const run = debug(await recordedAgent(), ...options)
  expect(await run.exit).toBe(code === 'usage' ? 64 : 125)
  expect(run.stderr()).toContain(`[${code}]`)
})
