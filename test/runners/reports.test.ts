/**
 * What a test with a tape reports: what was done, why it failed, what to run next, which tapes are obsolete.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answeringServer, project, vitest } from './project.ts'

const FILE = `
  import { expect, test } from 'vitest'
  import { recorded } from 'reprise/vitest'
  test('asks', recorded(async () => {
    const answer = await fetch(globalThis.address)
    expect(await answer.text()).toContain('answer')
  }))
`
const asking = (path: string): string => `globalThis.address = process.env.BASE + '${path}'\n${FILE}`

test('a divergence: tape, frame, next command; -u updates; obsolete tapes are listed and removed', async () => {
  const server = await answeringServer()
  const env = { BASE: server.url }
  const { folder, run, tapes } = project({ 'a.test.mjs': asking('/a') })
  try {
    const missing = await run(vitest(), { ...env, CI: 'true' })
    expect(missing.code).toBe(1)
    expect(missing.text).toContain('there is no tape')
    expect(missing.text).toContain('REPRISE_MODE=record npx vitest run a.test.mjs -t "asks"')

    const first = await run(vitest('--reporter=verbose'), env)
    expect(first.code, first.text).toBe(0)
    expect(first.text).toContain('recorded: __tapes__/a.test.mjs/asks.tape')
    expect((await run(vitest('--reporter=verbose'), env)).text).toContain(
      'replayed: __tapes__/a.test.mjs/asks.tape',
    )

    writeFileSync(join(folder, 'a.test.mjs'), asking('/b'))
    const diverged = await run(vitest(), env)
    expect(diverged.code).toBe(1)
    expect(diverged.text).toContain(`expected GET ${server.url}/a, got GET ${server.url}/b`)
    expect(diverged.text).toContain(`  tape         ${folder}/__tapes__/a.test.mjs/asks.tape`)
    expect(diverged.text).toContain('  update it    REPRISE_MODE=update npx vitest run a.test.mjs -t "asks"')
    expect(diverged.text).toMatch(/❯ a\.test\.mjs:\d+:\d+\n(.*\n){1,4}.*const answer = await fetch/)

    const updated = await run(vitest('-u', '--reporter=verbose'), env)
    expect(updated.code, updated.text).toBe(0)
    expect(updated.text).toContain('updated: __tapes__/a.test.mjs/asks.tape')
    expect((await run(vitest(), { ...env, CI: 'true' })).code).toBe(0)

    writeFileSync(join(folder, 'a.test.mjs'), asking('/b').replace("test('asks'", "test('asks again'"))
    const renamed = await run(vitest(), env)
    expect(renamed.text).toContain('reprise: 1 obsolete tape (-u removes): __tapes__/a.test.mjs/asks.tape')
    expect(tapes('a.test.mjs').sort()).toEqual(['asks-again.tape', 'asks.tape'])
    expect((await run(vitest('-u'), env)).text).toContain('reprise: removed 1 obsolete tape')
    expect(tapes('a.test.mjs')).toEqual(['asks-again.tape'])
  } finally {
    server.close()
  }
})

test('a tape that a test names itself is not obsolete', async () => {
  const tape = '__tapes__/a.test.mjs/own.tape'
  const { run, tapes } = project({
    'a.test.mjs': `
      import { test } from 'vitest'
      import { recorded } from 'reprise/vitest'
      test('one', recorded({ tape: '${tape}' }, async () => { Date.now() }))`,
  })
  expect((await run(vitest())).code).toBe(0)
  const updated = await run(vitest('-u'))
  expect([updated.code, updated.text.includes('obsolete')], updated.text).toEqual([0, false])
  expect(tapes('a.test.mjs')).toEqual(['own.tape'])
})

test('two tests with one name are an error; a failed first recording leaves nothing behind', async () => {
  const { folder, run, tapes } = project({
    'twice.test.mjs': `
      import { test } from 'vitest'
      import { recorded } from 'reprise/vitest'
      test('one name', recorded(async () => { Date.now() }))
      test('one name', recorded(async () => { Math.random() }))`,
  })
  const twice = await run(vitest())
  expect(twice.code).toBe(1)
  expect(twice.text).toContain('two tests of this file are called "one name", and both would use')
  expect(tapes('twice.test.mjs')).toEqual(['one-name.tape'])

  const failed = project({
    'fails.test.mjs': `
      import { expect, test } from 'vitest'
      import { recorded } from 'reprise/vitest'
      test('fails', recorded(async () => { expect(Math.random()).toBe(2) }))`,
  })
  expect((await failed.run(vitest())).code).toBe(1)
  expect(existsSync(join(failed.folder, '__tapes__'))).toBe(false)
  expect(existsSync(join(folder, '__tapes__'))).toBe(true)
})

/** The only model call is that of a Node child, whose tape the test does not replay. */
const CHILD = `
  import { spawn } from 'node:child_process'
  import { once } from 'node:events'
  import { expect, test } from 'vitest'
  import { recorded } from 'reprise/vitest'
  test('starts an agent', recorded(async () => {
    expect(await once(spawn(process.execPath, ['agent.mjs']), 'exit')).toEqual([0, null])
  }))
`
const AGENT = `
  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] })
  const headers = { 'content-type': 'application/json' }
  await (await fetch(process.env.BASE + '/v1/chat/completions', { method: 'POST', headers, body })).text()
`

test('a replay that proves less than it should is reported, and the test passes', async () => {
  const server = await answeringServer()
  const { run } = project({ 'a.test.mjs': CHILD, 'agent.mjs': AGENT })
  try {
    expect((await run(vitest(), { BASE: server.url })).code).toBe(0)
    const { code, text } = await run(vitest(), { BASE: server.url })
    expect(code, text).toBe(0)
    expect(text).toMatch(
      /reprise: replayed, unverified: __tapes__\/a\.test\.mjs\/starts-an-agent\.tape: all model calls \(1\)/,
    )
  } finally {
    server.close()
  }
})
