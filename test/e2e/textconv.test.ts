/** `reprise textconv`: two recordings of one program differ in what they took in, and in nothing else. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('git diff shows only the record that changed', async () => {
  const cwd = tempFolder()
  writeFileSync(
    join(cwd, 'agent.mjs'),
    "import { readFileSync } from 'node:fs'\nfor (const name of ['a', 'b']) console.log(readFileSync(name, 'utf8'))\n",
  )
  writeFileSync(join(cwd, 'a'), 'same')
  writeFileSync(join(cwd, 'b'), 'before')
  const record = () =>
    reprise(['record', '--force', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], { cwd })
  expect((await record()).code).toBe(0)
  writeFileSync(join(cwd, '.gitattributes'), '*.tape diff=reprise -text\n')
  const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
  const git = (...args: string[]) =>
    runChild('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd })
  await git('init', '--quiet')
  await git('config', 'diff.reprise.textconv', `"${process.execPath}" "${bin}" textconv`)
  await git('add', 'run.tape', '.gitattributes')
  await git('commit', '--quiet', '-m', 'tape')
  writeFileSync(join(cwd, 'b'), 'after')
  expect((await record()).code).toBe(0)
  const { stdout } = await git('diff', 'run.tape')
  const changed = stdout.split('\n').filter((line) => /^[-+](?![-+])/.test(line))
  expect(changed).toHaveLength(2)
  expect(changed[0]).toContain('before')
  expect(changed[1]).toContain('after')
})
