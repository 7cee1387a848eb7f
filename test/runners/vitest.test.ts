/**
 * `reprise/vitest` under every major of Vitest that it supports: each installed as a project would have it,
 * beside a copy of the built package.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, type TestContext, test } from 'vitest'
import { newerNode } from '../support/newer-node.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'

const root = new URL('../../', import.meta.url).pathname
const place = join(root, 'test-results-runner')
mkdirSync(place, { recursive: true })
const project = mkdtempSync(join(place, 'run-'))
afterAll(() => {
  rmSync(project, { recursive: true, force: true })
  if (readdirSync(place).length === 0) rmSync(place, { recursive: true })
})

const TESTS = `
  import { expect, test, vi } from 'vitest'
  import { recorded, expectFaithful } from 'reprise/vitest'
  const agent = async () => [Date.now(), Math.random(), await new Promise((resolve) => setTimeout(resolve, 2, 'late'))]
  test('asks the clock', recorded(async () => { const seen = await agent(); console.log('SEEN ' + JSON.stringify(seen)); expect(seen[2]).toBe('late') }))
  test('elsewhere', recorded({ tape: process.env.OWN_TAPE }, async () => { await agent() }))
  test('is faithful', async () => { if (process.env.EXPECT) await expectFaithful(process.env.OWN_TAPE, agent) })
  test('fails softly', recorded(async () => { if (process.env.SOFTLY) expect.soft(Math.random()).toBe(2) }))
  if (process.env.FAKE_BEFORE) test('fake timers before', async (context) => { vi.useFakeTimers(); try { await recorded(async () => 1)(context) } finally { vi.useRealTimers() } })
  if (process.env.FAKE_INSIDE) test('fake timers inside', recorded(async () => { try { vi.useFakeTimers() } finally { vi.useRealTimers() } }))
`

const versions = [
  ['3', join(root, 'test/vitests/node_modules/vitest3'), 'this Node'],
  ['4', join(root, 'node_modules/vitest'), 'this Node'],
  ['5', join(root, 'test/vitests/node_modules/vitest5'), 'node22'],
] as const

for (const [major, vitest, nodeName] of versions) {
  describe(`Vitest ${major}`, () => {
    test('is the one that is meant', () => {
      expect(JSON.parse(readFileSync(join(vitest, 'package.json'), 'utf8')).version).toMatch(
        new RegExp(`^${major}\\.`),
      )
    })

    test('records once, replays ever after, puts no tape of a failed test in place, and refuses fake timers', async (context: TestContext) => {
      const node = nodeName === 'this Node' ? process.execPath : newerNode(nodeName)
      if (node === null) context.skip(nodeName)
      const folder = layOut(major, vitest)
      const env = { ...process.env, OWN_TAPE: join(folder, 'own.tape'), CI: '', REPRISE_MODE: 'auto' }
      const run = (more: NodeJS.ProcessEnv): Promise<ChildRun> =>
        runChild(node ?? '', [join(vitest, 'vitest.mjs'), 'run', '--root', folder], {
          cwd: folder,
          env: { ...env, ...more },
        })
      const tapes = join(folder, '__tapes__', 'agent.test.mjs')

      const strict = await run({ CI: 'true' })
      expect(strict.code).toBe(1)
      expect(strict.stdout + strict.stderr).toContain('there is no tape')
      const first = await run({ SOFTLY: '1' })
      expect(first.code, first.stdout + first.stderr).toBe(1)
      expect(readdirSync(tapes)).toEqual(['asks-the-clock.tape'])
      const second = await run({ EXPECT: '1' })
      expect(second.code, second.stdout + second.stderr).toBe(0)
      expect(readdirSync(tapes)).toEqual(['asks-the-clock.tape', 'fails-softly.tape'])
      expect(seen(second)).toBe(seen(first))
      const fake = await run({ FAKE_BEFORE: '1', FAKE_INSIDE: '1', CI: '' })
      expect(fake.code).toBe(1)
      const words =
        "Vitest's fake timers (vi.useFakeTimers) and Reprise's clock cannot be used at the same time"
      expect((fake.stdout + fake.stderr).split(words).length - 1).toBeGreaterThanOrEqual(2)
      expect(seen(await run({ REPRISE_MODE: 'off' }))).not.toBe(seen(first))
      const updated = await run({ REPRISE_MODE: 'update' })
      expect(updated.code, updated.stdout + updated.stderr).toBe(0)
      expect(seen(await run({}))).toBe(seen(updated))
      expect(existsSync(env.OWN_TAPE)).toBe(true)
    })
  })
}

/**
 * A project with this Vitest and a copy of the package: its `import 'vitest'` must find the project's own.
 */
function layOut(major: string, vitest: string): string {
  const folder = join(project, `vitest-${major}`)
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(realpathSync(vitest), join(modules, 'vitest'))
  cpSync(join(root, 'dist'), join(modules, 'reprise/dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(modules, 'reprise/package.json'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'agent.test.mjs'), TESTS)
  writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { include: ['*.test.mjs'] } }")
  return folder
}

function seen({ stdout }: ChildRun): string | undefined {
  return stdout.match(/SEEN (\[.*?\])/)?.[1]
}
