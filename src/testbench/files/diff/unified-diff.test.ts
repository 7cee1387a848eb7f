import { expect, test } from 'vitest'
import { lineChanges } from '../../../base/line-diff.ts'
import type { FileEntry, FileTree } from './file-tree.ts'
import { unifiedDiff } from './unified-diff.ts'

const file = (content: string | Uint8Array, mode = 0o644): FileEntry => ({
  kind: 'file',
  mode,
  bytes: Buffer.from(content),
})
const link = (target: string): FileEntry => ({ kind: 'symlink', target })
const tree = (entries: Record<string, FileEntry>): FileTree => new Map(Object.entries(entries))

test.each<
  readonly [name: string, before: Record<string, FileEntry>, after: Record<string, FileEntry>, patch: string]
>([
  ['nothing', { a: file('x') }, { a: file('x') }, ''],
  [
    'a changed line, and the missing newline at an end',
    { 'a b': file('one\ntwo\nthree') },
    { 'a b': file('one\nTWO\nthree\n') },
    `diff --git a/a b b/a b
index 1d19714ef9d6b2ef05a8a8b3e24c0b0e1a9ca8fb..a1 100644
--- a/a b\t
+++ b/a b\t
@@ -1,3 +1,3 @@
 one
-two
-three
\\ No newline at end of file
+TWO
+three
`,
  ],
  [
    'two hunks, each with three lines of context',
    { f: file('1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n') },
    { f: file('1\n2 new\n3\n4\n5\n6\n7\n8\n9\n10\n12\n') },
    `diff --git a/f b/f
index x..x 100644
--- a/f
+++ b/f
@@ -1,5 +1,5 @@
 1
-2
+2 new
 3
 4
 5
@@ -8,5 +8,4 @@
 8
 9
 10
-11
 12
`,
  ],
  [
    'a new empty file, and a deleted one with a quoted name',
    { 'tab\t"é"': file('x\n') },
    { empty: file('') },
    `diff --git a/empty b/empty
new file mode 100644
index x..x
diff --git "a/tab\\t\\"\\303\\251\\"" "b/tab\\t\\"\\303\\251\\""
deleted file mode 100644
index x..x
--- "a/tab\\t\\"\\303\\251\\""
+++ /dev/null
@@ -1 +0,0 @@
-x
`,
  ],
  [
    'a rename with a change and another mode',
    { old: file('1\n2\n3\n4\n') },
    { 'new/name': file('1\n2\n3\nfour\n', 0o755) },
    `diff --git a/old b/new/name
old mode 100644
new mode 100755
similarity index 54%
rename from old
rename to new/name
index x..x
--- a/old
+++ b/new/name
@@ -1,4 +1,4 @@
 1
 2
 3
-4
+four
`,
  ],
  [
    'a mode alone',
    { f: file('x', 0o600) },
    { f: file('x', 0o700) },
    `diff --git a/f b/f
old mode 100644
new mode 100755
`,
  ],
  [
    'a file that became a link',
    { f: file('x\n') },
    { f: link('to') },
    `diff --git a/f b/f
deleted file mode 100644
index x..x
--- a/f
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/f b/f
new file mode 120000
index x..x
--- /dev/null
+++ b/f
@@ -0,0 +1 @@
+to
\\ No newline at end of file
`,
  ],
  [
    'bytes that are no text',
    {},
    { f: file(new Uint8Array([0, 1, 2])) },
    `diff --git a/f b/f
new file mode 100644
index x..x
GIT binary patch
literal 3
Kc$|xyWB>pF0{#I2

literal 0
Hc$@<O00001

`,
  ],
  ['a folder, for which git has no word', {}, { d: { kind: 'folder', mode: 0o755 } }, ''],
])('the diff of %s', (_name, before, after, patch) => {
  const names = (text: string): string => text.replaceAll(/^index [0-9a-fx]+\.\.[0-9a-fx]+/gm, 'index x..x')
  const packed = (text: string): string => text.replace(/^Kc.*$/m, 'Kc')
  expect(packed(names(unifiedDiff(tree(before), tree(after))))).toBe(packed(names(patch)))
})

test('object names are those of git', () => {
  expect(unifiedDiff(tree({}), tree({ f: file('hello\n') }))).toContain(
    `index ${'0'.repeat(40)}..ce013625030ba8dba906f756967f9e9ca394464a`,
  )
})

test('past too many differences the middle counts as replaced', () => {
  const before = Array.from({ length: 5000 }, (_, n) => `old ${n}`)
  const after = Array.from({ length: 5000 }, (_, n) => `new ${n}`)
  expect(lineChanges(['same', ...before, 'end'], ['same', ...after, 'end'])).toEqual([
    { oldStart: 1, oldEnd: 5001, newStart: 1, newEnd: 5001 },
  ])
})
