import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const readme = readFileSync(join(root, 'README.md'), 'utf8')

test.each(['README.md', 'docs/guides/record-and-replay.md'])(
  'the example of %s runs, and its replay is faithful',
  async (page) => {
    const folder = tempFolder()
    const example = readFileSync(join(root, page), 'utf8').match(/```js\n([\s\S]*?)```/)?.[1] ?? ''
    // The package finds itself by name only from inside, so the example starts there and moves.
    const program = `process.chdir(${JSON.stringify(folder)})\n${example}`
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(out.split('\n')[0]).toBe('faithful')
    expect((await reprise(['verify', join(folder, 'run.tape')])).code).toBe(0)
  },
)

test('the README has the two set-up commands', () => {
  expect(readme).toContain('npm ci && npm start\nnpm ci && npm test\n')
})

test('every page that the README links to is there', () => {
  for (const [, target = ''] of readme.matchAll(/\]\(([^)#]+)\)/g))
    expect(existsSync(join(root, target)), target).toBe(true)
})
