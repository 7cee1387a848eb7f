/**
 * No way of writing a tape puts a secret of the working directory, the home folder or the command line into
 * the header.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'
import { fromDisk } from '../../src/scrub/scrubbed.ts'
import { createHeader, TapeWriter } from '../../src/tape/index.ts'
import { openSecondTape } from '../../src/testbench/compose/second-tape.ts'
import { indexTape } from '../../src/testbench/tape-index/tape-index.ts'
import { reprise } from '../support/cli.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'

const root = new URL('../../', import.meta.url).pathname
const IN_FOLDER = `sk-ant-api03-${'Ab3dEf6hIj'.repeat(9)}AA`
const IN_HOME = `ghp_${'aB3dE6fG9h'.repeat(4).slice(0, 36)}`
const IN_ARGV = 'correct-horse-battery'
const IN_ENV = 'hunter2-in-the-environment'
const SECRETS = [IN_FOLDER, IN_HOME, IN_ARGV, IN_ENV]

const base = mkdtempSync(join(tmpdir(), 'reprise-test-'))
const folder = join(base, IN_FOLDER, IN_ENV)
const home = join(base, IN_HOME)
const env = {
  ...process.env,
  HOME: home,
  SERVICE_PASSWORD: IN_ENV,
  CI: '',
  REPRISE_MODE: 'auto',
  NODE_TEST_CONTEXT: undefined,
  NODE_OPTIONS: '',
}

beforeAll(() => {
  mkdirSync(home, { recursive: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(root.slice(0, -1), join(folder, 'node_modules/reprise'))
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rmSync(base, { recursive: true, force: true }))

const PROGRAMS = {
  'record()': `import { record } from 'reprise'\nawait record('run.tape', () => Date.now())`,
  'testbench()': `import { testbench } from 'reprise'
    const session = await testbench({ tape: 'run.tape', clock: 'record' }).activate()
    Date.now()\nawait session.close()`,
  'recorded() of node:test': `import test from 'node:test'\nimport { recorded } from 'reprise/node-test'
    test('clock', recorded({ tape: 'run.tape' }, () => void Date.now()))`,
}

describe('the header of the tape', () => {
  test.each(Object.entries(PROGRAMS))('of %s', async (name, source) => {
    const script = `${name.replace(/\W/g, '')}.mjs`
    writeFileSync(join(folder, script), source.replaceAll('run.tape', `${script}.tape`))
    const run = await runChild(process.execPath, [script, '--api-key', IN_ARGV], { cwd: folder, env })
    expectClean(run, `${script}.tape`)
  })

  test('of recorded() of Vitest', async () => {
    const body = `import { test } from 'vitest'\nimport { recorded } from 'reprise/vitest'
      test('clock', recorded({ tape: 'vitest.tape' }, () => void Date.now()))`
    writeFileSync(join(folder, 'clock.test.mjs'), body)
    writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { include: ['*.test.mjs'] } }")
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    expectClean(
      await runChild(process.execPath, [vitest, 'run', '--root', folder], { cwd: folder, env }),
      'vitest.tape',
    )
  })

  test('of reprise record, and of the tape that its replay emits', async () => {
    writeFileSync(join(folder, 'agent.mjs'), 'console.log(Date.now())')
    const command = [process.execPath, 'agent.mjs', '--api-key', IN_ARGV, `--password=${IN_ARGV}`]
    expectClean(
      await reprise(['record', '--out', 'cli.tape', '--', ...command], { cwd: folder, env }),
      'cli.tape',
    )
    const header = headerLine('cli.tape')
    expect(header.argv).toEqual([
      '--api-key',
      expect.stringMatching(/^<redacted:/),
      expect.stringMatching(/^--password=<redacted:/),
    ])
    const replayed = await reprise(['replay', 'cli.tape', '--emit-tape', 'emitted.tape', '--', ...command], {
      cwd: folder,
      env,
    })
    expectClean(replayed, 'emitted.tape')
  })

  test('that a replay emits, where the header of the tape that is replayed has secrets', () => {
    const [path, out] = [join(folder, 'old.tape'), join(folder, 'old.emitted.tape')]
    const facts = {
      roots: [folder],
      home,
      argv: ['--api-key', IN_ARGV],
      command: ['node', '--api-key', IN_ARGV],
    }
    TapeWriter.open(path, fromDisk(createHeader(facts))).close()
    for (const secret of SECRETS) expect(readFileSync(path, 'utf8')).toContain(secret)
    openSecondTape(out, indexTape(path).header, createScrubber({ env: { SERVICE_PASSWORD: IN_ENV } })).close()
    expectNoSecret(out)
  })
})

function expectClean(run: ChildRun, tape: string): void {
  expect(run, run.stderr).toMatchObject({ code: 0 })
  expectNoSecret(join(folder, tape))
  // The header names the folders, and the seal has them, with placeholders: they were not left out.
  expect([headerLine(tape).roots?.[0], headerLine(tape).home]).toEqual(['$ROOT', '$HOME'])
  expect(lineAt(tape, -1).kind?.places).toMatchObject({
    root: expect.stringContaining('<redacted:'),
    home: expect.stringContaining('<redacted:'),
  })
}

function expectNoSecret(path: string): void {
  const bytes = readFileSync(path, 'utf8')
  for (const secret of SECRETS) expect(bytes).not.toContain(secret)
}

type Line = {
  readonly roots?: readonly string[]
  readonly home?: string
  readonly argv: readonly string[]
  readonly kind?: { readonly places?: Readonly<Record<string, string>> }
}

function headerLine(tape: string): Line {
  return lineAt(tape, 0)
}

function lineAt(tape: string, at: number): Line {
  return JSON.parse(readFileSync(join(folder, tape), 'utf8').trimEnd().split('\n').at(at) ?? '')
}
