/** How `reprise replay` ends before anything has run, and its one document. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a tape that cannot be read, and a program that cannot be started, are 125', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'empty.tape'), '')
  writeFileSync(join(folder, 'other.tape'), 'something else\n')
  for (const [tape, code] of [
    ['none.tape', '[not-found]'],
    ['empty.tape', '[tape-empty]'],
    ['other.tape', '[tape-header-invalid]'],
    ['.', '[not-a-file]'],
  ]) {
    const { code: exit, stdout, stderr } = await reprise(['replay', tape ?? ''], { cwd: folder })
    expect([exit, stdout, stderr.trimEnd().split('\n').length, stderr.includes(code ?? '')]).toEqual([
      125,
      '',
      1,
      true,
    ])
  }
  const program = await recordProgram('console.log(1)')
  expect((await reprise(['replay', program.tape, '--', 'no-such-program'])).code).toBe(125)
})

test('--json prints one document on stdout; the program writes to stderr', async () => {
  const program = await recordProgram(`console.log('out of the program'); process.exitCode = 3`)
  const fine = await reprise(['replay', '--json', program.tape])
  expect([fine.code, JSON.parse(fine.stdout).verdict, fine.stderr]).toEqual([
    3,
    'faithful',
    'out of the program\n',
  ])
  program.change(`console.log('out of another')`)
  const other = await reprise(['replay', '--json', program.tape])
  expect([other.code, JSON.parse(other.stdout).verdict]).toEqual([2, 'diverged'])
})

test('without the command line a replay can be repeated; its second recording is the last one', async () => {
  const program = await recordProgram(`console.log(Date.now() + Math.random())`)
  const register = new URL('../../dist/entry/register.js', import.meta.url).href
  const env = { ...process.env, REPRISE_MODE: 'replay', REPRISE_TAPE: program.tape }
  const replay = () =>
    runChild(process.execPath, ['--import', register, program.script], { cwd: program.folder, env })
  const { code, stdout } = program.recorded
  expect([await replay(), await replay()]).toMatchObject([
    { code, stdout, stderr: '' },
    { code, stdout, stderr: '' },
  ])
  expect(await reprise(['fidelity', program.tape, `${program.tape}.second.tape`])).toMatchObject({ code: 0 })
  const report = () => JSON.parse(readFileSync(`${program.tape}.report.json`, 'utf8'))
  expect(report()).toMatchObject({ verdict: 'faithful', divergences: [] })
  program.change(`console.log(Math.random())`)
  await replay()
  expect(await reprise(['fidelity', program.tape, `${program.tape}.second.tape`])).toMatchObject({ code: 2 })
  expect(report()).toMatchObject({ verdict: 'diverged' })
})
