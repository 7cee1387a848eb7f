/**
 * The files for GitHub: valid by the schemas of workflows and actions, and the shell steps of the action run.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validateAction, validateWorkflow } from '@action-validator/core'
import { expect, test } from 'vitest'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

test('the workflow and the action are valid; a wrong key is found', () => {
  expect(validateWorkflow(read('.github/workflows/ci.yml')).errors).toEqual([])
  expect(validateAction(read('action.yml')).errors).toEqual([])
  expect(validateAction(read('action.yml').replace('using:', 'usingg:')).errors).not.toEqual([])
})

test('every script that the action names is there', () => {
  const scripts = [...read('action.yml').matchAll(/\$GITHUB_ACTION_PATH\/([\w./-]+)/g)].map(
    ([, path = '']) => path,
  )
  expect(scripts).toHaveLength(3)
  for (const script of scripts) expect(existsSync(join(root, script)), script).toBe(true)
})

/** A runner of GitHub: `npx reprise` is the built command, outputs and summary are files. */
function runner() {
  const folder = tempFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${root}bin/reprise.js" "$@"\n`,
  )
  chmodSync(join(bin, 'npx'), 0o755)
  writeFileSync(
    join(folder, 'agent.mjs'),
    "console.log(Date.now())\nif (process.argv[2] === 'fail') process.exit(3)\n",
  )
  for (const name of ['output', 'summary']) writeFileSync(join(folder, name), '')
  const step = (script: string, env: NodeJS.ProcessEnv): Promise<ChildRun> =>
    runChild('bash', [join(root, '.github/action', script)], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        GITHUB_OUTPUT: join(folder, 'output'),
        GITHUB_STEP_SUMMARY: join(folder, 'summary'),
        ...env,
      },
    })
  return { folder, step, file: (name: string) => readFileSync(join(folder, name), 'utf8') }
}

test('a command that fails is recorded; the job fails with its code at the end', async () => {
  const { folder, step, file } = runner()
  const command = `"${process.execPath}" agent.mjs fail`
  const run = await step('run.sh', {
    REPRISE_ACTION_RUN: command,
    REPRISE_ACTION_RECORD: 'node agent.mjs fail',
  })
  expect(run.code, run.stderr).toBe(0)
  expect(file('output')).toBe('code=3\ntape=.reprise/failed.tape\n')
  expect(file('summary')).toContain('npx reprise replay .reprise/failed.tape')
  expect(existsSync(join(folder, '.reprise/failed.tape'))).toBe(true)
  expect((await step('finish.sh', { REPRISE_ACTION_CODES: '3 ' })).code).toBe(3)
})

test('a command that passes records nothing; the report of a comparison goes to the summary', async () => {
  const { folder, step, file } = runner()
  await step('run.sh', {
    REPRISE_ACTION_RUN: `"${process.execPath}" agent.mjs`,
    REPRISE_ACTION_RECORD: 'node agent.mjs',
  })
  expect(file('output')).toBe('code=0\n')
  expect(existsSync(join(folder, '.reprise'))).toBe(false)
  await runChild(
    process.execPath,
    [join(root, 'bin/reprise.js'), 'record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'],
    { cwd: folder },
  )
  const compared = await step('fidelity.sh', { REPRISE_ACTION_AGAINST: 'run.tape' })
  expect(compared.code, compared.stderr).toBe(0)
  expect(file('output')).toBe('code=0\ncode=0\n')
  expect(file('summary').toLowerCase()).toContain('fidelity')
  expect((await step('finish.sh', { REPRISE_ACTION_CODES: '0 0' })).code).toBe(0)
})
