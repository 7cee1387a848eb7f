/** What `reprise record` prints at its end, and what the library passes to `onSummary`. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RunSummary, record } from '../../src/entry/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = `
  import { execFileSync } from 'node:child_process'
  import { generateKeyPairSync } from 'node:crypto'
  generateKeyPairSync('ed25519')
  console.log(Date.now() > 0, execFileSync('echo', ['hi'], { encoding: 'utf8' }))
`

const recordIn = (folder: string, ...options: string[]) =>
  reprise(['--summary', 'record', ...options, '--', process.execPath, 'agent.mjs'], { cwd: folder })

test('one line on stderr: tape, records, model calls, children, gaps, the command to replay', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'agent.mjs'), PROGRAM)
  const { code, stdout, stderr } = await recordIn(folder, '--out', 'a run.tape')
  expect([code, stdout]).toEqual([0, 'true hi\n\n'])
  expect(stderr).toMatch(
    /^reprise: recorded a run\.tape: \d+ records, 0 model calls, 1 child, 1 gap \(random: crypto\.generateKeyPairSync [^)]*\); model calls of children are not on it; replay it: reprise replay 'a run\.tape'\n$/,
  )
  const quiet = await recordIn(folder, '--quiet')
  expect(quiet).toMatchObject({ code: 0, stderr: '' })
})

test('the library passes the same facts', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const seen: RunSummary[] = []
  await record(tape, () => Date.now(), { onSummary: (summary) => seen.push(summary) })
  expect(seen).toEqual([{ tape, records: 1, modelCalls: 0, children: 0, gaps: [], sealed: true }])
})

test('fidelity --against: a wrong mode runs nothing; --live without a command runs the recorded one', async () => {
  const folder = tempFolder()
  const temporary = mkdtempSync(join(folder, 'tmp-'))
  const env = { ...process.env, TMPDIR: temporary }
  writeFileSync(
    join(folder, 'agent.mjs'),
    `import { appendFileSync } from 'node:fs'\nappendFileSync('ran', 'x')`,
  )
  await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], { cwd: folder })
  const before = stateOf(folder)
  const wrong = await reprise(['fidelity', '--against', 'run.tape', '--mode', 'nonsense'], {
    cwd: folder,
    env,
  })
  expect([wrong.code, wrong.stdout]).toEqual([64, ''])
  expect(stateOf(folder)).toBe(before)
  const live = await reprise(['fidelity', '--against', 'run.tape', '--live'], { cwd: folder, env })
  expect(live.stderr).not.toContain('internal')
  expect(live.stdout).toContain('fidelity')
  expect(stateOf(folder)).not.toBe(before)
  expect(readdirSync(temporary)).toEqual([])
})

/** Which files are in the folder, with the content of `ran`. */
function stateOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) hash.update(name)
  return `${hash.digest('hex')} ${readFileSync(join(folder, 'ran'), 'utf8')}`
}
