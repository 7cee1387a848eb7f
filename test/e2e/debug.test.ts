/**
 * `reprise debug` with a real client of the debugger protocol: stops after a record, shows recorded values,
 * and leaves the run faithful, whatever the person evaluates.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { connectDebugger, debug, evaluatedValue } from '../support/debug-client.ts'
import { listening } from '../support/listening.ts'
import { type RecordedProgram, recordProgram } from '../support/recorded-program.ts'

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

test('stops after the first model call, shows its values, evaluates without a trace and ends faithful', async () => {
  const program = await recordedAgent()
  const run = debug(program, '--at-call', '1')
  const client = await connectDebugger(await run.line('DevTools'))
  expect(await run.line('paused after record')).toContain('agent.mjs:')
  await client.send('Runtime.enable')
  await client.send('Debugger.enable')
  const at = await client.paused()
  const evaluate = (expression: string) => client.evaluate(at, expression)
  expect(await evaluate('question')).toBe('the plan')
  const now = await evaluate('Date.now()')
  expect(now).toBe(await evaluate('started'))
  const refused =
    "(() => { try { setTimeout(() => 0, 1); return 'ran' } catch (error) { return error.code } })()"
  expect(await evaluate(refused)).toBe('debug-refused')
  const fetched = await client.send('Runtime.evaluate', { expression: "fetch('http://127.0.0.1:9/')" })
  expect(fetched.result).toMatchObject({ subtype: 'promise' })
  const { internalProperties } = await client.send('Runtime.getProperties', {
    objectId: (fetched.result as { objectId: string }).objectId,
  })
  expect(internalProperties).toMatchObject([
    { name: '[[Prototype]]' },
    { name: '[[PromiseState]]', value: { value: 'rejected' } },
    { name: '[[PromiseResult]]', value: { description: expect.stringContaining('fetch is not available') } },
  ])
  expect(await evaluate("(readFileSync('plan.txt', 'utf8'), 1)")).toBe(1)
  const written = await client.send('Runtime.evaluate', {
    expression: "process.getBuiltinModule('fs').writeFileSync('plan.txt', 'changed')",
  })
  expect(evaluatedValue(written)).toContain('not available')
  expect(await evaluate('process.env.HOME !== 1')).toBe(true)
  void client.send('Debugger.resume')
  expect(await run.exit).toBe(0)
  expect(run.stdout()).toBe('answer 2 8 true\n')
  expect(run.stderr()).toContain('replay faithful')
})

test('a variable that is changed makes the verdict unverified', async () => {
  const run = debug(await recordedAgent(), '--at-call', '2')
  const client = await connectDebugger(await run.line('DevTools'))
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
  run.type('goto 99999')
  await run.line('the tape has no record 99999')
  run.type('nonsense')
  await run.line('is not a command')
  run.type('quit')
  expect(await run.exit).toBe(0)
})

test('an error that nothing catches: --at-divergence stops before the call that is not recorded', async () => {
  const program = await recordedAgent()
  const source = readFileSync(program.script, 'utf8')
  writeFileSync(program.script, source.replace('ask(date)', "ask('changed')"))
  const run = debug(program, '--at-divergence')
  const left = await run.line('it left its tape at record')
  const stop = await run.line('paused after record')
  expect(stop).toMatch(/agent\.mjs:\d+/)
  expect(Number(/after record (\d+)/.exec(stop)?.[1])).toBeLessThan(Number(/at record (\d+)/.exec(left)?.[1]))
  run.type('continue')
  expect(await run.exit).toBe(2)
  expect(run.stderr()).toContain('replay diverged')
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
