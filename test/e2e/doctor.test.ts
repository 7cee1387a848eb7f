import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coverageRows } from '../../src/boundaries/coverage.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

function project(): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), '')
  return folder
}

test('says what is captured and what is not, from the table, and that a command can be recorded', async () => {
  const cwd = project()
  const { code, stdout } = await reprise(['doctor', '--json', '--', process.execPath, 'agent.mjs'], { cwd })
  const found = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(found).toMatchObject({
    ok: true,
    node: { version: process.version, supported: true },
    unlisted: [],
    command: { node: { version: process.version }, script: join(cwd, 'agent.mjs'), problems: [] },
    folder: { path: cwd, writable: true },
  })
  expect(found.boundaries.clock).toContain('Date: now')
  expect(found.boundaries.offthread).toContain('node:crypto: scrypt')
  const listed = new Set(
    coverageRows().flatMap((row) => (row.mark === 'not captured' ? [`${row.place}: ${row.name}`] : [])),
  )
  expect(
    found.not_captured.every(({ place, name }: { place: string; name: string }) =>
      listed.has(`${place}: ${name}`),
    ),
  ).toBe(true)
  const text = await reprise(['doctor', '--', process.execPath, 'agent.mjs'], { cwd })
  expect(text.stdout).toContain('clock         captured, ')
  expect(text.stdout).toContain('can be recorded')
})

test.each<[what: string, args: string[], env: NodeJS.ProcessEnv, said: string]>([
  [
    'a name that the table does not have',
    ['--', process.execPath, '--expose-gc', 'agent.mjs'],
    {},
    'unlisted      globalThis: gc',
  ],
  [
    'a script that is not there',
    ['--', process.execPath, 'none.mjs'],
    {},
    'the script none.mjs is not there',
  ],
  ['a program that is no Node', ['--', 'ls'], {}, 'ls is a native program, not Node'],
  ['our own variables', [], { REPRISE_MODE: 'off' }, 'REPRISE_MODE=off'],
])('%s is a finding', async (_what, args, env, said) => {
  const { code, stdout } = await reprise(['doctor', ...args], {
    cwd: project(),
    env: { ...process.env, ...env },
  })
  expect([code, stdout.includes(said)], stdout).toEqual([2, true])
})
