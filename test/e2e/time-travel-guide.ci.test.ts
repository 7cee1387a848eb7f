/** Every command of docs/guides/time-travel.md is run as it is printed there, on a tape that has its records. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { listening } from '../support/listening.ts'
import type { ChildRun } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const guide = readFileSync(new URL('../../docs/guides/time-travel.md', import.meta.url), 'utf8')
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.trimEnd().split('\n'))
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line !== '')

/** `reads` puts the first response at the record that the guide names. */
const agent = (reads: number): string => `
for (let read = 0; read < ${reads}; read += 1) Date.now()
const ask = async (content) => {
  const response = await fetch(process.env.MODEL_URL + '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }] }),
  })
  return response.status === 200 ? (await response.json()).choices[0].message.content : 'status ' + response.status
}
for (let turn = 1; turn <= 12; turn += 1) console.log(await ask('turn ' + turn + ' ' + (process.env.MODE ?? 'a')))
`

let folder = ''
let asked = 0
let stop = async (): Promise<void> => undefined

beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1
      const message = { role: 'assistant', content: `answer ${asked}` }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          model: 'small',
          choices: [{ index: 0, finish_reason: 'stop', message }],
        }),
      )
    })
  })
  const { url, stop: stopServer } = await listening(server)
  stop = stopServer
  const record = async (reads: number): Promise<number> => {
    folder = join(tempFolder(), 'agent')
    mkdirSync(folder)
    writeFileSync(join(folder, 'agent.mjs'), agent(reads))
    asked = 0
    const words = ['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs']
    const run = await reprise(words, { cwd: folder, env: { ...process.env, MODEL_URL: url } })
    expect(run.code, run.stderr).toBe(0)
    const lines = readFileSync(join(folder, 'run.tape'), 'utf8').trimEnd().split('\n').slice(1)
    const records = lines.map((line): { seq: number; kind: { kind: string } } => JSON.parse(line))
    expect(records.length).toBeGreaterThan(43)
    return records.find(({ kind }) => kind.kind === 'http_exchange')?.seq ?? 0
  }
  expect(await record(12 - (await record(0)))).toBe(12)
}, 60_000)
afterAll(() => stop())

function run(command: string, input?: string): Promise<ChildRun> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  expect(words[0]).toBe('reprise')
  return reprise(words.slice(1), { cwd: folder, ...(input === undefined ? {} : { input }) })
}

const ANSWERS = Array.from({ length: 12 }, (_, at) => `answer ${at + 1}\n`).join('')

const checks: Readonly<Record<string, (command: string) => Promise<void>>> = {
  'reprise debug run.tape --at 42': async (command) => {
    const debugged = await run(command, 'where\ncontinue\n')
    expect(debugged.stderr).toMatch(/paused after record 4[2-9].* at \S+agent\.mjs:\d+/)
    expect(debugged).toMatchObject({ code: 0, stdout: ANSWERS })
    expect(debugged.stderr).toContain('replay faithful')
  },
  'reprise debug run.tape --at-call 3': async (command) => {
    const debugged = await run(command, 'continue\n')
    expect(debugged.stderr).toMatch(/paused after record \d+ at \S+agent\.mjs:\d+/)
    expect(debugged).toMatchObject({ code: 0, stdout: ANSWERS })
  },
  'reprise debug run.tape --at-divergence': async (command) => {
    // The program is as it was: it runs to its end.
    expect(await run(command)).toMatchObject({ code: 0, stdout: ANSWERS })
    const before = readFileSync(join(folder, 'agent.mjs'), 'utf8')
    const changed = before
      .replace("'turn '", "'round '")
      .replace("?? 'a')))", "?? 'a')).catch(({ name }) => name))")
    expect(changed).toContain('catch')
    writeFileSync(join(folder, 'agent.mjs'), changed)
    const debugged = await run(command, 'continue\n')
    writeFileSync(join(folder, 'agent.mjs'), before)
    expect(debugged.stderr).toMatch(/paused after record \d+ at \S+agent\.mjs:\d+/)
    expect(debugged.code).toBe(2)
  },
  'reprise what-if run.tape --set \'12={"status":500}\'': async (command) => {
    const made = await run(command)
    expect(made).toMatchObject({ code: 0, stdout: ANSWERS.replace('answer 1\n', 'status 500\n') })
    expect(made.stderr).toContain('what if record 12')
  },
  'reprise fork run.tape --at 42 --live llm': async (command) => {
    const [before, made] = [asked, await run(command)]
    expect(made.code, made.stderr).toBe(0)
    expect(made.stdout.startsWith('answer 1\nanswer 2\n')).toBe(true)
    expect(made.stderr).toContain('live after record 42')
    expect(asked).toBeGreaterThan(before)
    expect(made.stdout).toContain(`answer ${asked}\n`)
  },
  'reprise fork run.tape --at 42 --live llm,mcp --env MODE=b': async (command) => {
    const [before, made] = [asked, await run(command)]
    expect(made.code, made.stderr).toBe(0)
    expect(asked).toBeGreaterThan(before)
  },
}

test('each command of the guide has a check', () => {
  expect(commands).toEqual(Object.keys(checks))
})

test.each(commands)('%s', async (command) => {
  await checks[command]?.(command)
  expect(Object.keys(checks)).toContain(command)
})
