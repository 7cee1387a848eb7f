/** The example of docs/guides/files.md, run as it stands. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const guide = readFileSync(new URL('../../docs/guides/files.md', import.meta.url), 'utf8')

test('the commands of the guide: record with a layer, look at the patch, apply the tape', async (context) => {
  needs(context, 'git')
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), guide.match(/```js\n([\s\S]*?)```/)?.[1] ?? '')
  writeFileSync(join(folder, 'plan.md'), '# Plan\n- [ ] first\n- [ ] second\n')
  writeFileSync(join(folder, 'first.md'), 'a task\nwith two lines\n')
  mkdirSync(join(folder, 'scratch'))
  writeFileSync(join(folder, 'scratch/note'), 'x\n')
  const commands = (guide.match(/```sh\n([\s\S]*?)```/)?.[1] ?? '').trimEnd().split('\n')
  expect(commands).toHaveLength(3)
  const [record = '', stat = '', apply = ''] = commands
  expect(await reprise(record.split(' ').slice(1), { cwd: folder })).toMatchObject({
    code: 0,
    stdout: 'true\n',
    stderr: '',
  })
  expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toContain('[ ] second')
  expect(existsSync(join(folder, 'scratch/note'))).toBe(true)
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..') }
  const shown = execFileSync('git', stat.split(' ').slice(1), { cwd: folder, env, encoding: 'utf8' })
  expect(shown).toContain('4 files changed')
  expect(await reprise(apply.split(' ').slice(1), { cwd: folder })).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(join(folder, 'done/first.md'), 'utf8')).toBe('a task\nwith two lines\nclosed\n')
  expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toContain('[x] second')
  expect(existsSync(join(folder, 'scratch'))).toBe(false)
}, 60_000)
