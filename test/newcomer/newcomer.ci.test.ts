/** Runs every script of this folder with the package as `npm pack` makes it from a clean clone. */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const scripts = readdirSync(here).filter((name) => name.endsWith('.sh') && name !== 'lib.sh')
let tarball = ''

beforeAll(async () => {
  const clone = await cleanClone()
  const packed = await runChild('npm', ['pack', '--json', '--silent'], { cwd: clone })
  expect(packed.code, packed.stderr).toBe(0)
  const file = readdirSync(clone).find((name) => name.endsWith('.tgz')) ?? ''
  tarball = join(clone, file)
  const listed = await runChild('tar', ['-tzf', tarball], {})
  expect(listed.stdout.split('\n')).toEqual(
    expect.arrayContaining(['package/dist/library/index.js', 'package/dist/entry/index.d.ts']),
  )
}, 300_000)

test.each(scripts)('%s', { timeout: 300_000 }, async (script) => {
  const { code, stdout, stderr } = await runChild('bash', [join(here, script)], {
    env: { ...process.env, REPRISE_TARBALL: tarball },
  })
  expect([code, stdout.trimEnd().split('\n').at(-1)], `${stdout}\n${stderr}`).toEqual([0, 'ok'])
})

/** The files that git knows or would add, and no dist; the packages are those of this folder. */
async function cleanClone(): Promise<string> {
  const clone = tempFolder()
  const { stdout } = await runChild('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  expect(existsSync(join(clone, 'dist'))).toBe(false)
  return clone
}

test('publint and attw find nothing in the package', async () => {
  const bin = (name: string): string => join(root, 'node_modules/.bin', name)
  const lint = await runChild(bin('publint'), ['--strict', tarball], { cwd: root })
  expect(lint.code, lint.stdout).toBe(0)
  const types = await runChild(bin('attw'), ['--profile', 'esm-only', tarball], { cwd: root })
  expect(types.code, types.stdout).toBe(0)
})
