/**
 * A tape of before may have a secret in a request that today's rules find: its key no longer matches. The copy
 * of `reprise scrub --out` replays.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record, replay } from '../../src/testbench/index.ts'
import { reprise } from '../support/cli.ts'
import { type Listening, listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A rule of today; the recordings here are made without it. */
const SECRET = `gh${'p'}_a7Kq0123456789abcdefghijABCDEFGHIJ45`
const RULES = { rules: { allowValues: [SECRET] } }

let server: Listening
beforeAll(async () => {
  server = await listening(
    createServer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify({ path: request.url?.slice(0, 4) })))
    }),
  )
})
afterAll(() => server.stop())

const post = async (path: string, body: string | URLSearchParams, type = 'application/json') => {
  const headers = { 'content-type': type }
  return (await fetch(`${server.url}${path}`, { method: 'POST', body, headers })).text()
}

const turns = ['hello', `use ${SECRET} now`, 'and again'].map((content) => ({ role: 'user', content }))

const agents: Readonly<Record<string, () => Promise<unknown>>> = {
  'JSON body': () => post('/a', JSON.stringify({ z: 1, note: `use ${SECRET} now` })),
  'text body': () => post('/a', `use ${SECRET} now`, 'text/plain'),
  'form body': () => post('/a', new URLSearchParams({ q: SECRET }), 'application/x-www-form-urlencoded'),
  'parameter of a URL': async () => (await fetch(`${server.url}/a?q=${SECRET}`)).text(),
  'conversation with a model': async () => {
    for (const count of [1, 2, 3])
      await post(
        '/v1/messages',
        JSON.stringify({ model: 'm', max_tokens: 9, messages: turns.slice(0, count) }),
      )
  },
}

test.each(Object.entries(agents))('a copy without the secret replays: %s', async (_name, agent) => {
  const folder = tempFolder()
  const [old, copy] = [join(folder, 'old.tape'), join(folder, 'copy.tape')]
  await record(old, agent, { scrub: RULES })
  await expect(replay(old, agent)).rejects.toThrow('diverged')
  const { code, stdout } = await reprise(['scrub', old, '--out', copy])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`replaced in ${copy}`)])
  expect((await replay(copy, agent)).report.verdict).toBe('faithful')
})

test('a key that the rules of the user made stays', async () => {
  const folder = tempFolder()
  const [old, copy] = [join(folder, 'old.tape'), join(folder, 'copy.tape')]
  const options = { match: { ignore: ['$.at'] } }
  const agent = () => post('/a', JSON.stringify({ at: 1, note: 'nothing' }))
  await record(old, agent, options)
  await reprise(['scrub', old, '--out', copy])
  expect((await replay(copy, agent, options)).report.verdict).toBe('faithful')
})
