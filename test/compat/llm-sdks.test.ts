/**
 * Real clients of models, recorded through the built command line and replayed with the server gone, with
 * another key and with none: what the client saw is the same, to the hash of every chunk and the name of
 * every error.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Kind, type KindName, readTapeEvents, requestBytes, verifyTape } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startModelServer } from './models/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const VARIABLES = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OLLAMA_API_KEY']
const KEYS = {
  real: 'sk-proj-4fJq8Zx1RkT7wYb2Nc9Lm3Vd6Gh5Ps0AeXuQ',
  other: 'sk-proj-other00000000000000000000000000000000',
}

/** Program, provider, calls by what became of them. */
const rows: readonly (readonly [
  program: string,
  provider: string,
  errors: Readonly<Record<string, number>>,
])[] = [
  ['openai', 'openai', { none: 12, http: 5, cut: 1, abandoned: 3, connection: 2 }],
  ['anthropic', 'anthropic', { none: 5, http: 5, cut: 1, abandoned: 1, connection: 1 }],
  ['genai', 'gemini', { none: 6, http: 3, cut: 1, abandoned: 1, connection: 1 }],
  ['ai-sdk', 'openai', { none: 9, http: 4, cut: 1, abandoned: 1, connection: 1 }],
  ['langchain', 'openai', { none: 8, http: 4, abandoned: 1, connection: 1 }],
  ['ollama', 'ollama', { none: 4, http: 3, cut: 1, abandoned: 1, connection: 1 }],
]

test.each(rows)('%s', async (program, provider, errors) => {
  const folder = tempFolder()
  const tape = join(folder, 'run.tape')
  const server = await startModelServer()
  const command = ['--', process.execPath, join('test/compat/models', `${program}.mjs`)]
  const env = environment(KEYS.real, {
    MODEL_SERVER: server.url,
    MODEL_REFUSED: `http://127.0.0.1:${await closedPort()}`,
  })
  const recorded = await reprise(['record', '--out', tape, ...command], { cwd: root, env })
  await server.stop()
  expect(recorded).toMatchObject({ code: 0, stderr: '' })
  expect([...server.seenKeys]).toEqual([KEYS.real])

  for (const key of [KEYS.other, null]) {
    const report = join(folder, 'report.json')
    const replayed = await reprise(['replay', tape, '--report', report], {
      cwd: root,
      env: environment(key, {}),
    })
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      verdict: 'faithful',
      divergences: [],
      unused: [],
      gaps: [],
    })
    expect(replayed).toEqual(recorded)
  }

  const calls = kindsOf(tape, 'llm_call')
  expect(calls.every((call) => call.provider === provider)).toBe(true)
  expect(countBy(calls.map((call) => (isTyped(call.error) ? call.error.type : 'none')))).toEqual(errors)
  expect(calls).toHaveLength(
    kindsOf(tape, 'effect_start').filter(({ boundary }) => boundary === 'network').length,
  )
  for (const { id } of kindsOf(tape, 'http_exchange')) expect(requestBytes(tape, id)).not.toBe(null)
  expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
  for (const file of filesOf(folder)) expect(readFileSync(file).includes(KEYS.real.slice(0, 20))).toBe(false)
})

function environment(key: string | null, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !VARIABLES.includes(name)))
  return {
    ...bare,
    ...(key === null ? {} : Object.fromEntries(VARIABLES.map((name) => [name, key]))),
    ...more,
  }
}

function kindsOf<N extends KindName>(tape: string, name: N): Kind<N>[] {
  const isWanted = (kind: { readonly kind: string }): kind is Kind<N> => kind.kind === name
  return [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' && isWanted(event.record.kind) ? [event.record.kind] : [],
  )
}

function isTyped(value: unknown): value is { readonly type: string } {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 1
}
