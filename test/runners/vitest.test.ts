import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname

const VITEST = `
  import { expect, test, vi } from 'vitest'
  import { recorded, expectFaithful } from 'reprise/vitest'
  const agent = async () => [Date.now(), Math.random(), await new Promise((resolve) => setTimeout(resolve, 2, 'late'))]
  test('asks the clock', recorded(async () => { const seen = await agent(); console.log('SEEN ' + JSON.stringify(seen)); expect(seen[2]).toBe('late') }))
  test('elsewhere', recorded({ tape: process.env.OWN_TAPE }, async () => { await agent() }))
  test('is faithful', async () => { if (process.env.REPRISE_MODE !== 'off' && process.env.EXPECT) await expectFaithful(process.env.OWN_TAPE, agent) })
  test('with fake timers', async () => { vi.useFakeTimers(); try { await expect(recorded(async () => 1)({ task: { name: 'x', file: { filepath: '/x' } } })).rejects.toThrow(/fake timers/) } finally { vi.useRealTimers() } })
`

test('a Vitest test is recorded once, then replayed, and a missing tape fails in CI', async () => {
  const folder = join(root, 'test-results-runner', `${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const file = join(folder, 'agent.test.mjs')
    writeFileSync(file, VITEST)
    writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { include: ['*.test.mjs'] } }")
    const env = { ...process.env, OWN_TAPE: join(tempFolder(), 'own.tape'), CI: '', REPRISE_MODE: 'auto' }
    const run = (more: NodeJS.ProcessEnv) =>
      runChild(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder], {
        cwd: folder,
        env: { ...env, ...more },
      })
    const strict = await run({ CI: 'true' })
    expect(strict.code).toBe(1)
    expect(strict.stdout + strict.stderr).toContain('there is no tape')
    const first = await run({})
    expect(first.code, first.stdout + first.stderr).toBe(0)
    expect(readdirSync(join(folder, '__tapes__', 'agent.test.mjs'))).toEqual(['asks-the-clock.tape'])
    const second = await run({ CI: 'true', EXPECT: '1' })
    expect(second.code, second.stdout + second.stderr).toBe(0)
    expect(seen(second.stdout)).toBe(seen(first.stdout))
    expect(seen((await run({ REPRISE_MODE: 'off' })).stdout)).not.toBe(seen(first.stdout))
    expect(existsSync(env.OWN_TAPE)).toBe(true)
  } finally {
    const { rmSync } = await import('node:fs')
    rmSync(join(root, 'test-results-runner'), { recursive: true, force: true })
  }
})

test('a node:test test is recorded once, then replayed', async () => {
  const folder = tempFolder()
  const source = `
    import test from 'node:test'
    import { recorded } from 'reprise/node-test'
    test('asks the clock', recorded({ tape: ${JSON.stringify(join(folder, 'a.tape'))} }, async () => { console.log('SEEN ' + JSON.stringify([Date.now(), Math.random()])) }))`
  const run = () =>
    runChild(process.execPath, ['--input-type=module', '-e', source], { cwd: root, env: { ...process.env, CI: '', REPRISE_MODE: 'auto' } })
  const [first, second] = [await run(), await run()]
  expect([first.code, second.code]).toEqual([0, 0])
  expect(seen(second.stdout)).toBe(seen(first.stdout))
})

function seen(output: string): string | undefined {
  return output.match(/SEEN (\[.*?\])/)?.[1]
}
