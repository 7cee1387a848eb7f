/**
 * Calls of a model over WebSockets, by the clients of OpenAI's SDK: responses and the realtime API, against a
 * server in the test. Each call has an `llm_call` with its request, text, tool calls and usage.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '../support/outside.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { MODEL_KEY, realtimeProgram, responsesProgram, startModelSockets } from './clients/model-sockets.ts'

let server: Awaited<ReturnType<typeof startModelSockets>>
beforeAll(async () => {
  server = await startModelSockets()
})
afterAll(() => server.stop())

const resolved = (module: string): string => JSON.stringify(import.meta.resolve(module))

type Call = {
  kind: string
  model?: string
  usage?: object
  request?: Record<string, unknown>
  response: unknown
  error?: unknown
}

async function callsOf(source: string): Promise<Call[]> {
  const program = await recordProgram(source, {
    OPENAI_API_KEY: MODEL_KEY,
    BASE: server.base,
    NODE_NO_WARNINGS: '1',
  })
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { report, stdout } = await program.replay({ env: { PATH: process.env.PATH } })
  expect(report).toMatchObject({ verdict: 'faithful', divergences: [], gaps: [] })
  expect(stdout).toBe(program.recorded.stdout)
  const text = readFileSync(program.tape, 'utf8')
  expect(text).not.toContain(MODEL_KEY)
  const records: { kind: Call }[] = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))
  return records.map(({ kind }) => kind).filter(({ kind }) => kind === 'llm_call')
}

test('responses over a WebSocket', async (context) => {
  needs(context, 'openssl')
  const [first, second, failed] = await callsOf(responsesProgram(resolved))
  expect(first).toMatchObject({
    model: 'gpt-5',
    usage: { input_tokens: 11, output_tokens: 5, cache_read_tokens: 3 },
    request: { type: 'response.create', model: 'gpt-5' },
  })
  expect(JSON.stringify(first?.response)).toMatch(/answer \d/)
  // A conversation grows by what is new.
  expect(second?.request).toMatchObject({ keep: 1 })
  expect(JSON.stringify(second?.response)).toMatch(/weather.*Bonn/)
  expect(JSON.stringify(failed?.error)).toMatch(/model_not_found/)
})

test('the realtime API', async (context) => {
  needs(context, 'openssl')
  const [first, second] = await callsOf(realtimeProgram(resolved))
  expect(first).toMatchObject({
    model: 'gpt-realtime',
    usage: { input_tokens: 20, output_tokens: 9, cache_read_tokens: 4 },
    request: { instructions: 'Be brief.', input: [{ role: 'user' }] },
  })
  expect(JSON.stringify(first?.response)).toMatch(/spoken \d.*weather|weather.*spoken \d/)
  expect(second?.request).toMatchObject({
    keep: 1,
    append: [{ role: 'assistant' }, { type: 'function_call' }, { role: 'user' }],
  })
})
