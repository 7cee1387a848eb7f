import { expect, test } from 'vitest'
import { checkLayers } from '../../scripts/layers/check.ts'

const TABLE = `
| folder | holds | may import |
| --- | --- | --- |
| \`base\` | bytes | |
| \`real\` | originals | |
| \`bench\` | sessions | \`base real bench/top\` |
| \`bench/low\` | shared | \`base\` |
| \`bench/mid\` | one | \`bench/low\` |
| \`bench/top\` | all | \`base bench/low bench/mid\` |
| \`cli\` | commands | \`base bench\` |
`

function offences(
  files: Record<string, string>,
  options: { architecture?: string; scrubbedMakers?: string[] } = {},
): string[] {
  const { architecture = TABLE, scrubbedMakers = [] } = options
  return checkLayers({ files: new Map(Object.entries(files)), architecture, scrubbedMakers })
}

test('imports that the rows list are in order', () => {
  const files = {
    'src/base/bytes.ts': '',
    'src/real/files.ts': "import 'node:fs'; export const now = Date.now()",
    'src/bench/index.ts': "export { top } from './top/top.ts'",
    'src/bench/low/low.ts': "import '../../base/bytes.ts'",
    'src/bench/mid/deeper/mid.ts': "import '../../low/low.ts'",
    'src/bench/top/top.ts': "import '../low/low.ts'; import type { Mid } from '../mid/mid.ts'",
    'src/cli/main.ts': "import '../bench/mid/mid.ts'; import '../bench/index.ts'",
  }
  expect(offences(files)).toEqual([])
})

test.each([
  [
    'a layer',
    'src/base/a.ts',
    "import '../bench/index.ts'",
    '"base" may not import "bench" (../bench/index.ts)',
  ],
  [
    'a sibling folder',
    'src/bench/low/a.ts',
    "import '../mid/m.ts'",
    '"bench/low" may not import "bench/mid" (../mid/m.ts)',
  ],
  [
    'a layer that only the parent lists',
    'src/bench/mid/a.ts',
    "import '../../base/b.ts'",
    '"bench/mid" may not import "base" (../../base/b.ts)',
  ],
  [
    'the parent folder',
    'src/bench/top/a.ts',
    "import '../index.ts'",
    '"bench/top" may not import "bench" (../index.ts)',
  ],
  [
    'a subfolder that the parent does not list',
    'src/bench/a.ts',
    "import './mid/m.ts'",
    '"bench" may not import "bench/mid" (./mid/m.ts)',
  ],
  [
    'a type',
    'src/base/a.ts',
    "export type A = import('../cli/b.ts').B",
    '"base" may not import "cli" (../cli/b.ts)',
  ],
  [
    'a re-export',
    'src/base/a.ts',
    "export * from '../cli/b.ts'",
    '"base" may not import "cli" (../cli/b.ts)',
  ],
  [
    'a dynamic import',
    'src/base/a.ts',
    "await import('../cli/b.ts')",
    '"base" may not import "cli" (../cli/b.ts)',
  ],
  [
    'a file outside src',
    'src/base/a.ts',
    "import '../../bench/run.ts'",
    'imports ../../bench/run.ts, outside src',
  ],
  [
    'a module of Node that reaches outside',
    'src/base/a.ts',
    "import 'node:fs'",
    'imports node:fs; only src/real may',
  ],
  ['a clock', 'src/base/a.ts', 'export const now = Date.now()', 'names Date.now; only src/real may'],
  [
    'a folder without a row',
    'src/bench/new/a.ts',
    '',
    'folder "bench/new" has no row in docs/architecture.md',
  ],
  ['a layer without a row', 'src/new/a.ts', '', 'folder "new" has no row in docs/architecture.md'],
])('refuses %s', (_what, path, text, expected) => {
  expect(offences({ [path]: text })).toEqual([`${path}: ${expected}`])
})

test('a test file is held to the row of its layer', () => {
  expect(
    offences({
      'src/bench/low/a.test.ts': "import 'node:fs'; import '../top/top.ts'; import '../../real/files.ts'",
    }),
  ).toEqual([])
  expect(offences({ 'src/bench/low/a.test.ts': "import '../../cli/main.ts'" })).toEqual([
    'src/bench/low/a.test.ts: "bench/low" may not import "cli" (../../cli/main.ts)',
  ])
})

test('the page has the functions of a browser and no module of Node', () => {
  const architecture = `${TABLE}| \`viewer\` | protocol | |\n| \`viewer/web\` | page | \`viewer\` |\n`
  const now = "import '../../protocol.ts'; export const now = performance.now()"
  expect(
    offences({ 'src/viewer/web/parts/a.tsx': now, 'src/viewer/protocol.ts': '' }, { architecture }),
  ).toEqual([])
  expect(offences({ 'src/viewer/web/a.ts': "import 'node:path'" }, { architecture })).toEqual([
    'src/viewer/web/a.ts: imports node:path; a browser does not have it',
  ])
})

test('finds a cycle of files', () => {
  expect(offences({ 'src/base/a.ts': "import './b.ts'", 'src/base/b.ts': "import './a.ts'" })).toEqual([
    'cycle: base/a.ts -> base/b.ts -> base/a.ts',
  ])
})

test('finds two folders that import each other, below the rows too', () => {
  const files = {
    'src/bench/mid/a.ts': "import './deep/b.ts'",
    'src/bench/mid/deep/c.ts': "import '../d.ts'",
  }
  expect(offences(files)).toEqual(['folders "bench/mid" and "bench/mid/deep" import each other'])
})

test('finds a cycle of three folders', () => {
  const files = {
    'src/bench/mid/a.ts': "import './one/b.ts'",
    'src/bench/mid/one/c.ts': "import '../two/d.ts'",
    'src/bench/mid/two/e.ts': "import '../f.ts'",
  }
  expect(offences(files)).toEqual([
    'cycle of folders: bench/mid -> bench/mid/one -> bench/mid/two -> bench/mid',
  ])
})

test('a layer without rows for its subfolders counts as one folder', () => {
  expect(
    offences({ 'src/cli/a.ts': "import './commands/b.ts'", 'src/cli/commands/c.ts': "import '../d.ts'" }),
  ).toEqual([])
})

test('finds rows that contradict each other', () => {
  const row = (name: string, mayImport: string): string => `| \`${name}\` | x | \`${mayImport}\` |\n`
  expect(offences({}, { architecture: TABLE + row('bench/odd', 'nothing') })).toEqual([
    'docs/architecture.md: row "bench/odd" lists "nothing", which has no row',
  ])
  expect(offences({}, { architecture: TABLE + row('lost/folder', 'base') })).toEqual([
    'docs/architecture.md: row "lost/folder" has no row "lost" above it',
    'docs/architecture.md: row "lost/folder" lists "base", which row "lost" does not',
  ])
  expect(offences({}, { architecture: TABLE + row('cli/output', 'real') })).toEqual([
    'docs/architecture.md: row "cli/output" lists "real", which row "cli" does not',
  ])
  expect(
    offences({}, { architecture: TABLE + row('bench/a', 'bench/b') + row('bench/b', 'bench/a') }),
  ).toEqual(['docs/architecture.md: rows allow a cycle: bench/a -> bench/b -> bench/a'])
  expect(() => offences({}, { architecture: 'no table' })).toThrow('layer table not found')
})

test('limits who names fromDisk and fromReprise', () => {
  const files = {
    'src/base/a.ts': "import { fromDisk as f } from './s.ts'; f('')",
    'src/base/b.ts': "fromReprise('')",
    'src/base/b.test.ts': "fromDisk('')",
  }
  expect(offences(files, { scrubbedMakers: ['src/base/a.ts', 'src/base/c.ts'] })).toEqual([
    'src/base/b.ts: names fromReprise; see scripts/layers/scrubbed-makers.ts',
    'src/base/c.ts: names neither fromDisk nor fromReprise; remove it from scripts/layers/scrubbed-makers.ts',
  ])
})
