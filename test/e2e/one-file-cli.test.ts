/**
 * The command line is one file, which a small one starts. The commands that run a program are in a smaller
 * file.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { loadCompiled } from '../../src/real/load-compiled.ts'
import { reprise } from '../support/cli.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const folder = fileURLToPath(new URL('../../dist/cli', import.meta.url))

/** Runs `start` with a bundle of the test's own. */
function started(body: string, ...words: readonly string[]) {
  const bundle = join(tempFolder(), 'bundle.cjs')
  writeFileSync(
    bundle,
    `(function (exports, require, module, __filename, importModule) { exports.main = ${body} })`,
  )
  const source = `require(${JSON.stringify(join(folder, 'start.cjs'))}).start(${JSON.stringify(bundle)})`
  return runChild(
    process.execPath,
    ['-e', source, '--', 'node', ...words].filter((word) => word !== 'node'),
    {},
  )
}

test('a command that never settles does not look like success', async () => {
  expect(await started('() => new Promise(() => undefined)')).toMatchObject({ code: 13 })
  expect(await started('async () => undefined')).toMatchObject({ code: 0 })
})

test('the bundle imports modules by the function that it is given', async () => {
  const run = await started(`async () => console.log((await importModule('node:path')).sep)`)
  expect(run).toMatchObject({ code: 0, stdout: '/\n' })
})

const FILES = ['cli.cjs', 'run.cjs']

test.each(FILES)('%s has no import() of its own, which V8 would refuse', (file) => {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(text.match(/(?<![\w.$]|async )import\(/g)).toBeNull()
})

test.each(['cli/cli.cjs', 'cli/run.cjs', 'entry/engine.cjs'])('%s is plain ASCII, as it is read', (file) => {
  const bytes = readFileSync(new URL(`../../dist/${file}`, import.meta.url))
  expect(bytes.every((byte) => byte < 128)).toBe(true)
})

test.each(FILES)('what V8 kept of %s is taken by this Node', (file) => {
  expect(loadCompiled(join(folder, file)).script.cachedDataRejected).toBe(false)
})

type RunMain = (words: readonly string[], keepOwn: () => void, whole: () => Promise<void>) => Promise<void>

test.each([
  ['replay', '--help'],
  ['replay'],
  ['record', '--no-such-option', '--', 'node', 'agent.mjs'],
  ['replay', '--speed'],
  ['replay', '--view', 'no-such.tape'],
])('the commands that run a program leave these words to the whole command line: %s %s', async (...words) => {
  const { main } = loadCompiled(join(folder, 'run.cjs')).exports as { main: RunMain }
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  let wholeStarts = 0
  try {
    await main(
      words,
      () => undefined,
      async () => {
        wholeStarts += 1
      },
    )
    expect(printed).not.toHaveBeenCalled()
  } finally {
    printed.mockRestore()
  }
  expect(wholeStarts).toBe(1)
})

test('the whole command line prints their help and their errors', async () => {
  const help = await reprise(['replay', '--help'])
  expect([help.code, help.stdout.split('\n')[0]]).toEqual([
    0,
    'Usage: reprise replay [options] <tape> [cmd...]',
  ])
  expect(await reprise(['recrod'])).toMatchObject({ code: 64 })
  expect((await reprise(['replay', '--veiw', 'no-such.tape'])).stderr).toContain('did you mean --view?')
})

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  for (const word of ['--version', '-V'])
    expect(await reprise([word])).toMatchObject({ code: 0, stdout: `${version}\n` })
})
