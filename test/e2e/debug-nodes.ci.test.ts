/**
 * `reprise debug` on every supported Node with a real client of the debugger protocol, for an agent with a model,
 * an MCP server, files and a subprocess: as an ES module, as CommonJS, and in TypeScript under tsx.
 */
import { describe, expect, test } from 'vitest'
import { connectDebugger, type DebugClient, debug } from '../support/debug-client.ts'
import { type Form, recordDebuggedAgent } from '../support/debugged-agent.ts'
import { newerNode } from '../support/newer-node.ts'

const versions = [20, 22, 24, 26] as const
const forms: readonly Form[] = ['esm', 'commonjs', 'tsx']

/** The time beyond every timeout of the agent: its calls have one of 3 seconds. */
const LONG_MS = 13_000

const nodeOf = (version: number): string => {
  const node = version === 20 ? process.execPath : newerNode(`node${version}`)
  if (node === null) throw new Error(`Node ${version} is not installed`)
  return node
}

const rows = versions.flatMap((version) => forms.map((form) => [version, form] as const))

describe.each(rows)('Node %i, %s', (version, form) => {
  test('stops at the response, shows recorded values, outlasts the timeout, and ends faithful', async () => {
    const agent = await recordDebuggedAgent(nodeOf(version), form)
    const [started, dice, plan, first, sum] = agent.values
    const response = agent.seqs('http_exchange')[2]
    const run = debug(agent, '--at', String(response))
    const client = await connectDebugger(await run.line('DevTools'))
    const place = `${agent.file}:${agent.lineOf('const status')}:`
    expect(await run.line(`paused after record ${response} at`)).toContain(place)
    await client.send('Runtime.enable')
    await client.send('Debugger.enable')
    const at = await client.paused()
    expect(at.callFrames[0]?.functionName).toBe('ask')
    expect(await client.evaluate(at, 'question')).toBe(`${first} and ${sum}`)
    expect(await client.evaluate(at, 'response.status')).toBe(200)
    expect(await client.evaluate(at, 'seen')).toMatchObject({ started, dice, plan, first, sum })

    const wait = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${LONG_MS})`
    if (form === 'esm') expect(await client.evaluate(at, wait)).toBe('timed-out')

    const now = await client.evaluate(at, 'Date.now()')
    expect(now).toBeGreaterThanOrEqual(Number(started))
    expect(await client.evaluate(at, 'Date.now()')).toBe(now)
    expect(await client.evaluate(at, 'Math.random()')).toBe(dice)
    expect(await client.evaluate(at, 'process.env.MODEL_URL')).toMatch(/^http:/)
    expect(await client.evaluate(at, "seen.readFileSync('plan.txt', 'utf8')")).toBe('the plan\n')
    // Its outcome, and what follows from it, comes when the program goes on.
    const later =
      "fetch(process.env.MODEL_URL).catch(({ code }) => console.error('evaluated', code, Date.now()))"
    await client.evaluate(at, later)
    await client.evaluate(at, '(async () => { await null; setTimeout(() => 0, 1); await ask(plan) })()')
    await client.evaluate(at, '[fetch(process.env.MODEL_URL)]')
    await client.evaluate(at, "console.log('evaluated')")
    expect(await client.evaluate(at, "seen.execFileSync('touch', ['made.txt'])")).toContain('debugger')

    void client.send('Debugger.resume')
    expect(await run.exit, run.stderr()).toBe(0)
    expect(run.stdout()).toBe(`evaluated\n${agent.stdout}`)
    expect(run.stderr()).toContain(`evaluated debug-refused ${now}`)
    expect(run.stderr()).toContain('replay faithful')
  })
})

describe.each(rows)('Node %i, %s, the prompt', (version, form) => {
  test('where, goto, next-record and back, which keeps breakpoints; then it ends faithful', async () => {
    const agent = await recordDebuggedAgent(nodeOf(version), form)
    const run = debug(agent, '--at-call', '1')
    const client = await connectDebugger(await run.line('DevTools'))
    await client.send('Debugger.enable')
    const first = await run.line('paused after record')
    await client.paused()
    const call = agent.seqs('llm_call')[0] ?? 0
    expect(numberIn(first)).toBeGreaterThanOrEqual(call)

    run.type('where')
    expect(await run.line('paused after record')).toContain(`record ${numberIn(first)} at`)
    expect(await run.line('at ask')).toContain(`${agent.file}:`)

    run.type('next-record')
    const next = await run.line('paused after record')
    expect(numberIn(next)).toBeGreaterThan(numberIn(first))
    expect(next).toContain(`${agent.file}:`)

    // On the line that runs once more after going back, and not before it.
    const line = agent.lineOf("writeFileSync('notes.txt'") - 1
    const urlRegex = agent.file.replace('.', '\\.')
    const place = await placeIn(client, agent.file, /[^;\n]*\bwriteFileSync\)?\(['"]notes.txt/)
    await client.send('Debugger.setBreakpointByUrl', { urlRegex, ...place })

    run.type('back')
    const back = await run.line('paused after record')
    expect(numberIn(back)).toBeLessThan(numberIn(next))
    run.type('goto 3')
    expect(await run.line('paused after record 3')).toContain(`${agent.file}:`)
    run.type('continue')
    expect(await run.line('paused after record')).toContain(`${agent.file}:${line + 1}:`)
    run.type('continue')
    expect(await run.exit, run.stderr()).toBe(0)
    expect(run.stdout()).toBe(agent.stdout)
    expect(run.stderr()).toContain('replay faithful')
  })
})

describe.each(rows)('Node %i, %s, every record', (version, form) => {
  test('next-record walks through the whole tape, in user code only', async () => {
    const agent = await recordDebuggedAgent(nodeOf(version), form)
    const run = debug(agent)
    const stops: number[] = []
    for (;;) {
      const line = await run.line('paused after record', 'the program has ended')
      if (line.includes('has ended')) break
      expect(line).toContain(`${agent.file}:`)
      stops.push(numberIn(line))
      run.type('next-record')
    }
    expect(stops).toEqual([...new Set(stops)].sort((a, b) => a - b))
    expect(stops.length).toBeGreaterThan(10)
    expect(await run.exit, run.stderr()).toBe(0)
    expect(run.stdout()).toBe(agent.stdout)
    expect(run.stderr()).toContain('replay faithful')
  })
})

describe.each(versions)('Node %i', (version) => {
  test('Ctrl-C ends the program and the debugger, without a stack', async () => {
    const run = debug(await recordDebuggedAgent(nodeOf(version), 'esm'), '--at', '1')
    await run.line('paused after record 1')
    run.interrupt()
    expect(await run.exit).toBe(0)
    expect(run.stderr()).not.toMatch(/^\s+at /m)
    expect(run.stdout()).toBe('')
  })

  test('a variable that a client sets makes the verdict unverified', async () => {
    const agent = await recordDebuggedAgent(nodeOf(version), 'esm')
    const run = debug(agent, '--at', String(agent.seqs('http_exchange')[0]))
    const client = await connectDebugger(await run.line('DevTools'))
    await client.send('Debugger.enable')
    const { callFrames } = await client.paused()
    const set = await client.send('Debugger.setVariableValue', {
      scopeNumber: 0,
      variableName: 'question',
      newValue: { value: 'another' },
      callFrameId: callFrames[0]?.callFrameId,
    })
    expect(set).toEqual({})
    void client.send('Debugger.resume')
    expect(await run.exit).toBe(2)
    expect(run.stderr()).toContain('state was changed in the debugger')
  })
})

function numberIn(line: string): number {
  return Number(/record (\d+)/.exec(line)?.[1])
}

/** Where a script has a text as V8 has it, which differs from the source under tsx. */
async function placeIn(client: DebugClient, file: string, text: RegExp): Promise<object> {
  for (const { url, scriptId } of client.scripts()) {
    if (!url.endsWith(file)) continue
    const { scriptSource } = await client.send('Debugger.getScriptSource', { scriptId })
    const before = String(scriptSource)
      .slice(0, text.exec(String(scriptSource))?.index)
      .split('\n')
    return { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length }
  }
  throw new Error(`no script ${file}`)
}
