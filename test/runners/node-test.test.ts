import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname

const run = (source: string, env: NodeJS.ProcessEnv = {}): Promise<ChildRun> =>
  runChild(
    process.execPath,
    [
      '--no-warnings',
      '--input-type=module',
      '-e',
      `import test, { mock } from 'node:test'\nimport { recorded } from 'reprise/node-test'\n${source}`,
    ],
    {
      cwd: root,
      env: { ...process.env, CI: '', REPRISE_MODE: 'auto', NODE_TEST_CONTEXT: undefined, ...env },
    },
  )

test('a node:test test is recorded once, then replayed; a missing tape fails in CI', async () => {
  const tape = join(tempFolder(), 'a.tape')
  const source = `test('asks the clock', recorded({ tape: ${JSON.stringify(tape)} }, async () => { console.log('SEEN ' + JSON.stringify([Date.now(), Math.random()])) }))`
  const strict = await run(source, { CI: 'true' })
  expect(strict.code).toBe(1)
  expect(strict.stdout).toContain('there is no tape')
  const [first, second] = [await run(source), await run(source, { CI: 'true' })]
  expect([first.code, second.code]).toEqual([0, 0])
  expect(seen(second)).toBe(seen(first))
  expect(seen(second)).not.toBeUndefined()
})

test.each([
  [
    'before',
    "test('x', async (t) => { mock.timers.enable(); try { await recorded({ tape: TAPE }, async () => 1)(t) } finally { mock.timers.reset() } })",
  ],
  ['inside', "test('x', recorded({ tape: TAPE }, async () => { mock.timers.enable() }))"],
  ['inside, by the context', "test('x', recorded({ tape: TAPE }, async (t) => { t.mock.timers.enable() }))"],
])('mock timers %s are an error that names both', async (_when, source) => {
  const tape = JSON.stringify(join(tempFolder(), 'a.tape'))
  const { code, stdout } = await run(source.replace('TAPE', tape))
  expect(code).toBe(1)
  expect(stdout).toContain(
    "node:test's fake timers (mock.timers) and Reprise's clock cannot be used at the same time",
  )
})

function seen({ stdout }: ChildRun): string | undefined {
  return stdout.match(/SEEN (\[.*?\])/)?.[1]
}
