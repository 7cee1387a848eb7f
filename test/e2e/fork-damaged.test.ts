/** A run that leaves its tape starts nothing if the tape is damaged, and uses a tape whose run was killed. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'

test('fork and what-if check the seal before they start the program', async () => {
  const { folder, tape } = await recordProgram(`
    import { readFileSync } from 'node:fs'
    console.log('started', readFileSync('agent.mjs').length > 0)`)
  const whole = readFileSync(tape, 'utf8')
  const out = join(folder, 'out.tape')
  const fork = ['fork', tape, '--at', '0', '--live', 'llm', '--out', out]
  const whatIf = ['what-if', tape, '--set', '0={"errno":"ENOENT"}', '--out', out]

  writeFileSync(
    tape,
    whole.replace(/"chain":"(.)/, (_, first) => `"chain":"${first === '0' ? 1 : 0}`),
  )
  for (const command of [fork, whatIf]) {
    const { code, stdout, stderr } = await reprise(command, { cwd: folder })
    expect([code, stdout, existsSync(out)]).toEqual([125, '', false])
    expect(stderr).toContain('the records before the seal are not what was sealed [tape-not-whole]')
  }

  writeFileSync(tape, whole.slice(0, whole.lastIndexOf('{"type":"record"')))
  const { code, stdout } = await reprise(fork, { cwd: folder })
  expect([code, stdout]).toEqual([0, 'started true\n'])
})
