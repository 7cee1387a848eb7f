/**
 * A module that Node loads late is patched before anyone can use it, whichever way the program gets hold of
 * it.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { recordProgram } from '../support/recorded-program.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const PROGRAMS = {
  'a name that is imported': `import { randomBytes } from 'node:crypto'
console.log(randomBytes(8).toString('hex'))`,
  'the global object alone': `console.log(crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)).join())`,
  'the global object, then the module': `console.log(crypto.randomUUID())
const { randomInt, default: all } = await import('node:crypto')
console.log(randomInt(1e9), all.randomInt === randomInt)`,
  'another module that needs it': `import https from 'node:https'
import { createRequire } from 'node:module'
console.log(createRequire(import.meta.url)('crypto').randomUUID(), typeof https.request)`,
  getBuiltinModule: `console.log(process.getBuiltinModule('crypto').randomUUID())`,
  'a client of node:http': `import { get } from 'node:http'
get(process.env.SERVER, (response) => response.resume().on('end', () => console.log(response.statusCode, Date.now())))`,
  fetch: `console.log((await fetch(process.env.SERVER)).status, Date.now())`,
  'a child by a name that is imported': `import { execFileSync } from 'node:child_process'
console.log(execFileSync(process.execPath, ['-p', 'process.hrtime.bigint()']).toString())`,
  stdin: `process.stdin.on('data', () => undefined).on('end', () => console.log('end', performance.now()))`,
}

test.each(Object.entries(PROGRAMS))('%s', async (_name, source) => {
  const program = await recordProgram(source, { SERVER: server.url })
  const replayed = await program.replay()
  expect(program.recorded.code).toBe(0)
  expect(replayed.stdout).toBe(program.recorded.stdout)
  expect(replayed.report).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
})

test('what Node asks while it loads a module is not on the tape', async () => {
  const program = await recordProgram(`import 'node:child_process'
import 'node:net'
import 'node:tls'`)
  const kinds = readFileSync(program.tape, 'utf8').trimEnd().split('\n').slice(1)
  expect(kinds.map((line) => JSON.parse(line).kind.kind)).toEqual(['tape_seal'])
})
