import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('the twelve lines of the README make a tape that is whole', async () => {
  const folder = tempFolder()
  const example = readme.match(/```js\n([\s\S]*?)```/)?.[1] ?? ''
  // The package finds itself by name only from inside, so the example starts there and moves.
  execFileSync(process.execPath, ['--input-type=module', '-e', `process.chdir(${JSON.stringify(folder)})\n${example}`], { cwd: root })
  const { code, stdout } = await reprise(['verify', join(folder, 'run.tape')])
  expect(stdout).toContain('whole, 1 records, sealed')
  expect(code).toBe(0)
})

test('the README has the two set-up commands', () => {
  expect(readme).toContain('npm ci && npm start\nnpm ci && npm test\n')
})

test('every page that the README links to is there', () => {
  for (const [, target = ''] of readme.matchAll(/\]\(([^)#]+)\)/g)) expect(existsSync(join(root, target)), target).toBe(true)
})
