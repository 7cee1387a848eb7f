/** Wrappers on the functions of JavaScript's own objects, which the recorder uses too. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { recordProgram } from '../support/recorded-program.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const source = readFileSync(new URL('../fixtures/wrapped-language.cjs', import.meta.url), 'utf8')

test.each([
  'JSON,Math,Number,Object,Reflect,Symbol',
  'Array,ArrayBuffer,BigInt,Buffer,Error,Promise,String,URL,node:path',
  'String.prototype,RegExp.prototype,Number.prototype,TypedArray.prototype,Date.prototype',
  'Map.prototype,Set.prototype,WeakMap.prototype,WeakSet.prototype,Promise.prototype,Object.prototype',
])('wrappers on every function of %s', async (owners) => {
  const env = { OWNERS: owners, SERVER_URL: `${server.url}/json` }
  const program = await recordProgram(source, env, 'agent.cjs')
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  expect(program.recorded.stdout.split('\n').length).toBeGreaterThan(13)
  const replay = await program.replay()
  expect(replay).toMatchObject({ code: 0, stdout: program.recorded.stdout, stderr: '' })
  expect(replay.report).toMatchObject({
    verdict: 'faithful',
    divergences: [],
    unused: [],
    clock_reads: { missing: 0, extra: 0 },
  })
})
