/** `recorded` in every form that Vitest has for a test, in every pool; and in Jest and Mocha. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answeringServer, jest, mocha, project, vitest } from './project.ts'

const SHAPES = `
  import { describe, expect, test as base } from 'vitest'
  import { recorded } from 'reprise/vitest'
  const test = base.extend({ word: async ({}, use) => use('fixture') })
  const see = (...more) => console.log('SEEN ' + JSON.stringify([Date.now(), Math.random(), ...more]))
  base.each([[1, 'a'], [2, 'b']])('each %i', recorded(async (n, s) => { see(n, s); expect(s).toBe(n === 1 ? 'a' : 'b') }))
  base.for([[1, 'a'], [2, 'b']])('for %i', recorded(async ([n, s], { expect }) => { see(n, s); expect(n).toBeGreaterThan(0) }))
  test('extend', recorded(async ({ word, expect }) => { see(word); expect(word).toBe('fixture') }))
  describe('outer', () => { describe('inner', () => { base('nested', recorded(async () => see('nested'))) }) })
  for (const name of ['c1', 'c2']) {
    base.concurrent(name, recorded(async () => { see(name); await new Promise((r) => setTimeout(r, 5)); see(name, 'late') }))
  }
  let tries = 0
  base('repeated', { repeats: 2 }, recorded(async () => see('repeated')))
  base('retried', { retry: 2 }, recorded(async () => { tries += 1; if (process.env.FLAKY) expect(tries).toBe(2); see('retried') }))
`

test.each(['forks', 'threads', 'vmThreads'])('every form of a test, in the pool %s', async (pool) => {
  const { run, tapes } = project({ 'shapes.test.mjs': SHAPES })
  const first = await run(vitest('--pool', pool), { FLAKY: '1' })
  expect(first.code, first.text).toBe(0)
  expect(tapes('shapes.test.mjs').sort()).toEqual(
    [
      ...['c1', 'c2', 'each-1', 'each-2', 'extend', 'for-1', 'for-2', 'outer-inner-nested'],
      ...['repeated', 'retried'],
    ].map((name) => `${name}.tape`),
  )
  const second = await run(vitest('--pool', pool), { CI: 'true' })
  expect(second.code, second.text).toBe(0)
  expect(second.seen).toEqual(first.seen)
  expect(second.seen).toHaveLength(14)
})

test('concurrent.each is refused with the form that works', async () => {
  const { run } = project({
    'a.test.mjs': `
      import { test } from 'vitest'
      import { recorded } from 'reprise/vitest'
      test.concurrent.each([1, 2])('n %i', recorded(async () => { Date.now() }))`,
  })
  const done = await run(vitest())
  expect(done.code).toBe(1)
  expect(done.text).toContain('test.concurrent.each does not pass which test runs')
})

test('Jest 30', async () => {
  const { folder, run, tapes } = project({
    'word.txt': 'one',
    'jest.config.json': '{ "testMatch": ["**/*.spec.mjs"], "transform": {} }',
    'a.spec.mjs': `
      import fs from 'node:fs'
      import { recorded } from 'reprise/jest'
      const see = (...more) => process.stdout.write('SEEN ' + JSON.stringify([Date.now(), Math.random(), fs.readFileSync('word.txt', 'utf8'), ...more]) + '\\n')
      describe('agent', () => { test('asks the clock', recorded(async () => { see(); expect(1).toBe(1) })) })
      test.each([[1], [2]])('each %i', recorded(async (n) => { see(n); await new Promise((r) => setTimeout(r, 5)) }))`,
  })
  const first = await run(jest('-c', 'jest.config.json'))
  expect(first.code, first.text).toBe(0)
  expect(first.text).toContain('reprise: recorded: __tapes__/a.spec.mjs/agent-asks-the-clock.tape')
  expect(tapes('a.spec.mjs').sort()).toEqual(['agent-asks-the-clock.tape', 'each-1.tape', 'each-2.tape'])
  writeFileSync(join(folder, 'word.txt'), 'two')
  const second = await run(jest('-c', 'jest.config.json'), { CI: 'true' })
  expect([second.code, second.seen]).toEqual([0, first.seen])
  // The file is read again; clock and randomness keep their recorded values (decision 0340).
  const updated = await run(jest('-c', 'jest.config.json', '-u'))
  expect(updated.text).toContain('reprise: updated: ')
  expect(updated.seen).toEqual(first.seen.map((seen) => seen.replace('"one"', '"two"')))
  expect(updated.seen).not.toEqual(first.seen)
  writeFileSync(join(folder, 'word.txt'), 'three')
  const third = await run(jest('-c', 'jest.config.json'), { CI: 'true' })
  expect([third.code, third.seen]).toEqual([0, updated.seen])
})

test('Jest 30: concurrent tests, two tests with one name, the frame of a divergence', async () => {
  const server = await answeringServer()
  const spec = (path: string): string => `
      import { recorded } from 'reprise/jest'
      const ask = async (path) => {
        const answer = await fetch(process.env.BASE + path)
        return answer.text()
      }
      test.concurrent('c1', recorded(async () => expect(await ask('/c1')).toBe('answer to /c1')))
      test.concurrent('c2', recorded(async () => expect(await ask('/c2')).toBe('answer to /c2')))
      test('asks', recorded(async () => { await ask('${path}') }))
      test('one name', recorded(async () => { Date.now() }))
      test('one name', recorded(async () => { Math.random() }))`
  const { folder, run, tapes } = project({
    'jest.config.json': '{ "testMatch": ["**/*.spec.mjs"], "transform": {} }',
    'a.spec.mjs': spec('/a'),
  })
  try {
    const first = await run(jest('-c', 'jest.config.json'), { BASE: server.url })
    expect(first.code).toBe(1)
    expect(first.text).toContain('two tests of this file are called "one name", and both would use')
    expect(first.text).toContain('1 failed, 4 passed')
    expect(tapes('a.spec.mjs').sort()).toEqual(['asks.tape', 'c1.tape', 'c2.tape', 'one-name.tape'])
    writeFileSync(join(folder, 'a.spec.mjs'), spec('/b'))
    const diverged = await run(jest('-c', 'jest.config.json', '-t', 'c1|c2|asks'), { BASE: server.url })
    expect(diverged.text).toContain('1 failed, 2 skipped, 2 passed')
    expect(diverged.text).toContain(`expected GET ${server.url}/a, got GET ${server.url}/b`)
    expect(diverged.text.match(/update it/g)).toHaveLength(1)
    expect(diverged.text).toMatch(/at (async )?ask \(a\.spec\.mjs:4:\d+\)/)
  } finally {
    server.close()
  }
})

test('Mocha', async () => {
  const { run, tapes } = project({
    'a.spec.mjs': `
      import { recorded } from 'reprise/mocha'
      describe('agent', () => {
        it('asks the clock', recorded(async function () { console.log('SEEN ' + JSON.stringify([Date.now(), this.test.title])) }))
        let tries = 0
        it('is retried', recorded(async function () { this.retries(2); if (process.env.FLAKY && ++tries < 2) throw new Error('flaky'); console.log('SEEN ' + JSON.stringify([Math.random()])) }))
      })`,
  })
  const first = await run(mocha('a.spec.mjs'), { FLAKY: '1' })
  expect(first.code, first.text).toBe(0)
  expect(tapes('a.spec.mjs').sort()).toEqual(['agent-asks-the-clock.tape', 'agent-is-retried.tape'])
  const second = await run(mocha('a.spec.mjs'), { CI: 'true' })
  expect([second.code, second.seen]).toEqual([0, first.seen])
  const strict = await project({
    'b.spec.mjs': `import { recorded } from 'reprise/mocha'\nit('x', recorded(async () => { Date.now() }))`,
  }).run(mocha('b.spec.mjs'), { CI: 'true' })
  expect(strict.text).toContain('there is no tape')
})
