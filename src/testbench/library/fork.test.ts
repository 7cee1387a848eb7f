/** Forks, edits and stops inside a process. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listening } from '../../../test/support/listening.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readTapeEvents } from '../../tape/index.ts'
import { fork } from './fork.ts'
import { record, replay } from './in-process.ts'

let requests = 0
let url = ''
let stop = async (): Promise<void> => undefined
const folder = tempFolder()
const tape = join(folder, 'run.tape')

const body = async (): Promise<string[]> => {
  const said: string[] = []
  for (const turn of ['one', 'two', 'three']) {
    const request = { model: 'm', messages: [{ role: 'user', content: turn }] }
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(request),
    })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    said.push(choices[0]?.message.content ?? '')
    writeFileSync(join(folder, 'said.txt'), said.join(' '))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return [...said, readFileSync(join(folder, 'said.txt'), 'utf8')]
}

beforeAll(async () => {
  const server = createServer((_request, response) => {
    requests += 1
    response.setHeader('content-type', 'application/json')
    response.end(
      `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"answer ${requests}"}}]}`,
    )
  })
  const listens = await listening(server)
  url = listens.url
  stop = listens.stop
  await record(tape, body)
})
afterAll(() => stop())

const calls = (): number[] =>
  [...readTapeEvents(tape)].flatMap((event) =>
    event.type === 'record' && event.record.kind.kind === 'llm_call' ? [event.record.seq] : [],
  )

test('a fork is exact up to the record, live after it, and changes no file', async () => {
  const before = readFileSync(join(folder, 'said.txt'), 'utf8')
  const out = join(folder, 'fork.tape')
  const asked = requests
  const [first = 0] = calls()
  const seen: number[] = []
  const options = {
    at: first,
    live: ['llm'],
    out,
    onRecord: ({ seq }: { seq: number }) => seen.push(seq),
  } as const
  const forked = await fork(tape, options, body)
  expect(forked).toMatchObject({ stage: 'live', refused: [] })
  const said = ['answer 1', `answer ${asked + 1}`, `answer ${asked + 2}`]
  expect(forked.value).toEqual([...said, said.join(' ')])
  expect(seen.at(-1)).toBe(first)
  expect(readFileSync(join(folder, 'said.txt'), 'utf8')).toBe(before)
  expect(requests).toBe(asked + 2)
  expect((await replay(out, body)).value).toEqual(forked.value)
  await expect(fork(tape, { at: first, live: ['process'] }, body)).rejects.toMatchObject({ code: 'usage' })
})

test.each<[what: string, run: () => Promise<unknown>, message: string]>([
  ['at', () => fork(tape, { at: -1, live: ['llm'] }, body), 'at is the number of a record'],
  ['at beyond the tape', () => fork(tape, { at: 9999, live: ['llm'] }, body), 'has no record 9999'],
  ['live', () => fork(tape, JSON.parse('{"at":1,"live":["disk"]}'), body), 'live is a list'],
  ['no live', () => fork(tape, JSON.parse('{"at":1}'), body), 'live is a list'],
  ['until', () => replay(tape, body, { until: 0.5 }), 'until is the number of a record'],
  ['edits', () => replay(tape, body, { edits: JSON.parse('[null]') }), 'an item of the list'],
  ['an edit', () => replay(tape, body, JSON.parse('{"edits":[{"seq":1,"edit":{"x":1}}]}')), 'member "x"'],
])('a wrong %s is refused before the body runs', async (_what, run, message) => {
  const asked = requests
  await expect(run()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) })
  expect(requests).toBe(asked)
})

test('a replay stops at a record, and takes edits', async () => {
  const asked = requests
  const [first = 0, second = 0] = calls()
  const seen: number[] = []
  const stopped = await replay(tape, body, { until: second, onRecord: ({ seq }) => seen.push(seq) })
  expect([stopped.value, stopped.report.verdict]).toEqual([undefined, 'faithful'])
  expect(seen.at(-1)).toBeGreaterThanOrEqual(second)
  const edit = { json: { '$.choices[0].message.content': 'edited' } }
  const { value } = await replay(tape, body, { edits: [{ seq: first, edit }] })
  expect(value).toEqual(['edited', 'answer 2', 'answer 3', 'edited answer 2 answer 3'])
  expect(requests).toBe(asked)
  expect(existsSync(join(folder, 'said.txt'))).toBe(true)
})
