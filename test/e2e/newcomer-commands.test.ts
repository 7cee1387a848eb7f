/**
 * What a newcomer types first: no --out, `list`, `last`, typing errors, the wrong program, a folder that is
 * not there.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROGRAM = 'console.log(Math.random())'
const node = process.execPath

function folderWith(files: Readonly<Record<string, string>> = { 'agent.mjs': PROGRAM }): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('without --out', () => {
  test('tapes go to .reprise, which git ignores; list and last find them', async () => {
    const cwd = folderWith()
    const first = await reprise(['--summary', 'record', '--', node, 'agent.mjs'], { cwd })
    expect(first.code, first.stderr).toBe(0)
    expect(first.stderr).toMatch(/reprise replay \.reprise\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-agent\.tape\n$/)
    const second = await reprise(['record', '--', node, 'agent.mjs'], { cwd })
    // Two of one second have a number in their names: the first one has the name in the summary.
    const isFirst = (name: string): boolean => first.stderr.endsWith(`/${name}\n`)
    const tapes = readdirSync(join(cwd, '.reprise'))
      .filter((name) => name.endsWith('.tape'))
      .sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
    expect(tapes).toHaveLength(2)
    expect(readFileSync(join(cwd, '.reprise/.gitignore'), 'utf8')).toBe('*\n')
    expect(statSync(join(cwd, '.reprise')).mode & 0o777).toBe(0o700)
    // The tape that was changed last is the last one, whatever its name.
    for (const [at, tape] of tapes.entries()) utimesSync(join(cwd, '.reprise', tape), 1000 - at, 1000 - at)
    const replayed = await reprise(['replay', 'last'], { cwd })
    expect([replayed.code, replayed.stdout]).toEqual([0, first.stdout])
    for (const [at, tape] of tapes.entries()) utimesSync(join(cwd, '.reprise', tape), 1000 + at, 1000 + at)
    expect((await reprise(['replay', 'last'], { cwd })).stdout).toBe(second.stdout)
    const listed = await reprise(['list'], { cwd })
    expect(
      listed.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(tapes.toReversed().map((tape) => join('.reprise', tape)))
    expect(JSON.parse((await reprise(['list', '--json'], { cwd })).stdout)).toMatchObject([
      { command: `${node} agent.mjs`, error: null },
      { command: `${node} agent.mjs`, error: null },
    ])
    expect((await reprise(['verify', 'last'], { cwd })).code).toBe(0)
  })

  test('the tape of the demo is listed, and is the last one', async () => {
    const cwd = folderWith()
    mkdirSync(join(cwd, '.reprise/demo'), { recursive: true })
    await reprise(['record', '--out', '.reprise/demo/run.tape', '--', node, 'agent.mjs'], { cwd })
    expect((await reprise(['list'], { cwd })).stdout).toMatch(/^\.reprise\/demo\/run\.tape /)
    expect((await reprise(['verify', 'last'], { cwd })).stdout).toMatch(/^\.reprise\/demo\/run\.tape: whole/)
  })

  test('git does not see the folder', async () => {
    const cwd = folderWith()
    await runChild('git', ['init', '--quiet'], { cwd })
    await reprise(['record', '--', node, 'agent.mjs'], { cwd })
    expect((await runChild('git', ['status', '--porcelain'], { cwd })).stdout).toBe('?? agent.mjs\n')
  })

  test('last without a tape is an error; a file called last is that file', async () => {
    const cwd = folderWith()
    expect(await reprise(['inspect', 'last'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^reprise: there is no last tape: .* \[not-found\]; hint: record one: .*\n$/,
      ),
    })
    await reprise(['record', '--out', 'last', '--', node, 'agent.mjs'], { cwd })
    expect((await reprise(['verify', 'last'], { cwd })).stdout).toMatch(/^last: whole/)
  })
})

describe('words that are no commands', () => {
  test.each([
    [['recrod'], "unknown command 'recrod' [usage]; hint: did you mean record? See reprise --help"],
    [['help', 'nope'], "unknown command 'nope' [usage]; hint: see reprise --help"],
    [['help', 'cassette', 'nope'], "unknown command 'cassette nope' [usage]; hint: see reprise --help"],
    [['help', 'verfy'], "unknown command 'verfy' [usage]; hint: did you mean verify? See reprise --help"],
    [
      ['verify', '--jsn', 'x'],
      "unknown option '--jsn' [usage]; hint: did you mean --json? See reprise verify --help",
    ],
  ])('%j', async (words, line) => {
    expect(await reprise(words)).toMatchObject({ code: 64, stdout: '', stderr: `reprise: ${line}\n` })
  })

  test('help of a command and of a group is help', async () => {
    expect(await reprise(['help', 'verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage'),
    })
    expect(await reprise(['help', 'cassette'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage'),
    })
  })
})

test('inspect: a kind that there is not and a number that the tape does not have are errors', async () => {
  const cwd = folderWith()
  await reprise(['record', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd })
  const kind = await reprise(['inspect', 'run.tape', '--kind', 'llmcall'], { cwd })
  expect(kind.code).toBe(64)
  expect(kind.stderr).toMatch(
    /^reprise: --kind llmcall: there is no such kind of record \[usage\]; hint: did you mean llm_call\? /,
  )
  const at = await reprise(['inspect', 'run.tape', '--at', '9999'], { cwd })
  expect(at.code).toBe(64)
  expect(at.stderr).toMatch(
    /^reprise: --at 9999: there is no such record \[usage\]; hint: the numbers of this tape go from 0 to \d+\n$/,
  )
  // A kind of the format that this run has not is an empty list.
  expect((await reprise(['inspect', 'run.tape', '--kind', 'llm_call'], { cwd })).code).toBe(0)
  expect((await reprise(['inspect', 'run.tape', '--at', '0'], { cwd })).code).toBe(0)
})

describe('record', () => {
  test('a program that failed to start does not block the name of its tape', async () => {
    const cwd = folderWith()
    const failed = await reprise(['record', '--out', 'run.tape', '--', node, 'typo.mjs'], { cwd })
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('no tape was kept')
    expect(existsSync(join(cwd, 'run.tape'))).toBe(false)
    expect((await reprise(['record', '--out', 'run.tape', '--', 'no-such-program-here'], { cwd })).code).toBe(
      125,
    )
    expect((await reprise(['record', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd })).code).toBe(0)
  })

  test('--out into a folder that is not there is an error, and nothing runs', async () => {
    const cwd = folderWith({
      'agent.mjs': "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')",
    })
    expect(
      await reprise(['record', '--out', 'nowhere/run.tape', '--', node, 'agent.mjs'], { cwd }),
    ).toMatchObject({
      code: 125,
      stderr:
        'reprise: cannot write nowhere/run.tape: there is no folder nowhere [not-found]; hint: create it: mkdir -p nowhere\n',
    })
    expect(readdirSync(cwd)).toEqual(['agent.mjs'])
  })

  test('a binary other than Node is refused before it runs; a script and a launcher are not', async () => {
    const cwd = folderWith()
    const touched = await reprise(['record', '--out', 'run.tape', '--', 'touch', 'ran'], { cwd })
    expect(touched.code).toBe(125)
    expect(touched.stderr).toMatch(
      /^reprise: touch is a native program, not Node: it was not started \[record-unclaimed\]/,
    )
    expect(readdirSync(cwd)).toEqual(['agent.mjs'])
    const shell = await reprise(['record', '--out', 'run.tape', '--', 'sh', '-c', `"${node}" agent.mjs`], {
      cwd,
    })
    expect(shell.code, shell.stderr).toBe(0)
    mkdirSync(join(cwd, 'bin'))
    writeFileSync(join(cwd, 'bin/start'), `#!/bin/sh\nexec "${node}" agent.mjs\n`, { mode: 0o755 })
    const script = await reprise(['record', '--out', 'script.tape', '--', './bin/start'], { cwd })
    expect(script.code, script.stderr).toBe(0)
  })
})
