/**
 * The public surface, held as literals: a change here is a change for users, and belongs into the CHANGELOG.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../../src/base/version.ts'
import { EXIT } from '../../src/cli/output.ts'
import { errorCodes } from '../../src/errors/index.ts'
import { kinds } from '../../src/tape/kinds.ts'

const root = new URL('../../', import.meta.url).pathname
const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test('exit codes', () => {
  expect(EXIT).toEqual({ fine: 0, failed: 1, finding: 2, usage: 64, reprise: 125 })
})

test('tapes, package, lock file, man page and changelog have one version', () => {
  const text = (file: string): string => readFileSync(join(root, file), 'utf8')
  const lock: { version: string; packages: { '': { version: string } } } = JSON.parse(
    text('package-lock.json'),
  )
  expect(version).toBe(manifest.version)
  expect([lock.version, lock.packages[''].version]).toEqual([version, version])
  expect(/Reprise ([\d.]+)/.exec(text('man/reprise.1'))?.[1]).toBe(version)
  expect(/^## (.+)$/m.exec(text('CHANGELOG.md'))?.[1]).toBe(version)
})

test('every error code is in docs/errors.md, and nothing else is', () => {
  const documented = [
    ...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| `([a-z0-9-]+)` \|/gm),
  ].map(([, code]) => code)
  expect([...documented].sort()).toEqual([...errorCodes].sort())
})

test('every error code is used by the source', () => {
  const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('errors/codes'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .join('\n')
  expect(errorCodes.filter((code) => !source.includes(`'${code}'`))).toEqual([])
})

test('every kind of record, with every field, is in docs/format/tape-v1.md', () => {
  const page = readFileSync(join(root, 'docs/format/tape-v1.md'), 'utf8')
  const missing: string[] = []
  for (const [kind, fields] of Object.entries(kinds)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${kind}\` |`))
    if (row === undefined) missing.push(kind)
    for (const { wire } of Object.values(fields))
      if (row !== undefined && !row.includes(`\`${wire}\``)) missing.push(`${kind}.${wire}`)
  }
  expect(missing).toEqual([])
})
