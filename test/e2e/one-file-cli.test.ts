/** The command line is one file, which a small one starts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
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

test('the bundle has no import() of its own, which V8 would refuse', () => {
  const text = readFileSync(join(folder, 'cli.cjs'), 'utf8')
  expect(text.match(/(?<![\w.$]|async )import\(/g)).toBeNull()
})

test.each(['cli/cli.cjs', 'entry/engine.cjs'])('%s is plain ASCII, as it is read', (file) => {
  const bytes = readFileSync(new URL(`../../dist/${file}`, import.meta.url))
  expect(bytes.every((byte) => byte < 128)).toBe(true)
})

test('what V8 kept of the command line is taken by this Node', () => {
  expect(loadCompiled(join(folder, 'cli.cjs')).script.cachedDataRejected).toBe(false)
})

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  for (const word of ['--version', '-V'])
    expect(await reprise([word])).toMatchObject({ code: 0, stdout: `${version}\n` })
})
