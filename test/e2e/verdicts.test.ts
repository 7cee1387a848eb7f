/** What a replay is called, and how a refusal reads that the program does not catch. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PLAIN = "import './part.mjs'\nconsole.log(Date.now(), Math.random())\n"

test('a program that has changed and does the same is unverified, and the file is named', async () => {
  const folder = join(tempFolder(), 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'agent.mjs'), PLAIN)
  writeFileSync(join(folder, 'part.mjs'), '')
  expect(
    (await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], { cwd: folder }))
      .code,
  ).toBe(0)
  expect((await reprise(['replay', 'run.tape'], { cwd: folder })).code).toBe(0)
  writeFileSync(join(folder, 'part.mjs'), '// a comment\n')
  const { code, stderr } = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect(code).toBe(2)
  expect(stderr).toBe(
    'reprise: replay unverified: 0 divergence(s), 0 unused record(s)\nreprise:   the program has changed: part.mjs\n',
  )
})

test('a program that asks for what was a gap is unverified from there on', async () => {
  const program = await recordProgram(`
    import { Worker } from 'node:worker_threads'
    console.log(Math.random())
    new Worker('0', { eval: true })`)
  expect(program.recorded).toMatchObject({ code: 0, stderr: '' })
  const { report, code } = await program.replay()
  expect(code).toBe(2)
  expect(report.verdict).toBe('unverified')
  expect(report.divergences[0]).toMatchObject({
    category: 'gap',
    message: expect.stringContaining('which was not recorded'),
  })
})

test('what is found before a gap is still a divergence', async () => {
  const source = (before: string): string => `
    import { Worker } from 'node:worker_threads'
    ${before}
    new Worker('0', { eval: true })`
  const program = await recordProgram(source(''))
  program.change(source('try { Math.random() } catch {}'))
  expect((await program.replay()).report.verdict).toBe('diverged')
})

test('a refusal that nobody catches is one line, with its code and a hint; --debug shows more', async () => {
  const program = await recordProgram('console.log(1)')
  program.change('console.log(1)\nawait 0\nMath.random()')
  const { code, stderr, report } = await program.replay()
  expect([code, report.exit_code]).toEqual([2, 1])
  const [line = ''] = stderr.split('\n')
  expect(line).toBe(
    'reprise: the program did not catch a refusal: Replay diverged: the program asks for more random values (Math.random) than are on the tape [replay-diverged]; hint: record again if the change is meant',
  )
  expect(stderr).not.toMatch(/\n {4}at /)
  expect((await program.replay({ args: ['--debug'] })).stderr).toMatch(/\n {4}at /)
})

test('a client that is refused, tries again and is refused for its random wait: the first refusal is the one that is told', async () => {
  const program = await recordProgram('console.log(1)')
  program.change(`await fetch('http://127.0.0.1:4001/asked').catch(() => undefined)\nMath.random()`)
  const { code, stderr } = await program.replay()
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    expect.stringMatching(
      /^reprise: the program did not catch a refusal: .*got GET http:\/\/127\.0\.0\.1:4001\/asked \[replay-diverged\]/,
    ),
  ])
})

test('`node -e` is replayed from the source on the tape', async () => {
  const folder = tempFolder()
  const recorded = await reprise(
    [
      'record',
      '--out',
      'run.tape',
      '--',
      process.execPath,
      '-e',
      'console.log(Date.now(), process.argv.slice(1))',
      'a',
      '--',
      '-b',
    ],
    {
      cwd: folder,
    },
  )
  const replayed = await reprise(['replay', 'run.tape', '--trust'], { cwd: folder })
  expect([replayed.code, replayed.stdout]).toEqual([0, recorded.stdout])
})

test('a program from stdin is recorded with a warning, and its replay asks for the command', async () => {
  const folder = tempFolder()
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath], {
    cwd: folder,
    input: 'console.log(1)',
  })
  expect(recorded.stderr).toContain('replay it with a command of its own')
  const replayed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect([replayed.code, replayed.stderr.includes('[replay-no-program]')]).toEqual([125, true])
})
