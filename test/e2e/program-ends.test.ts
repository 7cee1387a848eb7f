/**
 * Recording does not change how a program ends: exit code, signal and output are those of the plain run, the
 * tape has its seal with the same end, and the replay is faithful. program-ends.ci.test.ts has more programs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectSameEnd, USE } from '../support/program-ends.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  [
    'frozen globals',
    `
    Object.freeze(Math); Object.freeze(Date); Object.freeze(Date.prototype); Object.freeze(performance); Object.seal(globalThis)
    ${USE}`,
  ],
  [
    'exit in an exit handler',
    `process.on('exit', (code) => { console.log('exit', code); process.exit(3) }); process.exit(9)`,
  ],
  [
    'an exit that fails and is caught',
    `
    process.on('exit', () => { throw new Error('in exit') })
    try { process.exit(3) } catch { console.log('caught') }
    setTimeout(() => ${USE}, 1)`,
  ],
  [
    'emit replaced by a function that does nothing',
    `process.emit = () => false; ${USE}; process.exitCode = 4`,
  ],
  ['abort', `${USE}; process.abort()`],
])('%s', (_name, source) => expectSameEnd(source))

test('what is frozen before the recording begins is a gap, and the program runs', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'first.cjs'), 'Object.freeze(Math); Object.freeze(Date)')
  const env = { NODE_OPTIONS: `--require ${join(folder, 'first.cjs')}` }
  const program = await recordProgram(USE, env)
  expect(program.recorded).toMatchObject({ code: 0, stdout: 'true true true true\n', stderr: '' })
  expect(readFileSync(program.tape, 'utf8')).toContain('random was frozen before the recording began')
  expect((await program.replay({ env: { ...process.env, ...env } })).report).toMatchObject({
    verdict: 'unverified',
    divergences: [],
  })
})
