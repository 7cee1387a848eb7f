import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { needs } from '../../test/support/outside.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { unifiedDiff } from './diff.ts'

test.each([
  ['', '', ''],
  ['a\n', 'a\n', ''],
  ['', 'a\n', '--- x\n+++ y\n@@ -0,0 +1,1 @@\n+a\n'],
  ['a\n', '', '--- x\n+++ y\n@@ -1,1 +0,0 @@\n-a\n'],
  ['a', 'a\n', '--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n'],
  [
    '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    '1\n2\n3\n4\nfive\n6\n7\n8\n9\n',
    '--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
  ],
])('from %j to %j', (before, after, diff) => {
  expect(unifiedDiff(before, after, 'x', 'y')).toBe(diff)
})

test('git applies what it says', (context) => {
  needs(context, 'git')
  const folder = tempFolder()
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'dd'), { maxLength: 30 })
    .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`))
  fc.assert(
    fc.property(text, text, (before, after) => {
      // git takes an empty file for one that is made or removed; the other cases are what is tried here.
      fc.pre(before !== after && before !== '' && after !== '')
      writeFileSync(join(folder, 'file'), before)
      writeFileSync(join(folder, 'patch'), unifiedDiff(before, after, 'a/file', 'b/file'))
      execFileSync('git', ['apply', '--unsafe-paths', '--whitespace=nowarn', 'patch'], {
        cwd: folder,
        env: { ...process.env, GIT_DIR: '/nowhere', GIT_CEILING_DIRECTORIES: folder },
      })
      expect(execFileSync('cat', [join(folder, 'file')], { encoding: 'utf8' })).toBe(after)
    }),
    { numRuns: 60 },
  )
})

test('two texts without a line in common are shown whole, soon', () => {
  const before = Array.from({ length: 5000 }, (_, at) => `a${at}\n`).join('')
  const after = Array.from({ length: 5000 }, (_, at) => `b${at}\n`).join('')
  expect(unifiedDiff(before, after, 'x', 'y').split('\n')).toHaveLength(10_004)
})
