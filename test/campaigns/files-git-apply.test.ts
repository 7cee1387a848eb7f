/**
 * 200 random edit scripts: `git apply` takes the diff of each and gives the same tree; `git apply -R` takes
 * it back.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FileTree } from '../../src/testbench/files/diff/file-tree.ts'
import { unifiedDiff } from '../../src/testbench/files/diff/unified-diff.ts'
import { treeOfLayer } from '../../src/testbench/files/tree-of-layer.ts'
import { scaled } from '../support/campaign.ts'
import { layerOver } from '../support/layer-over.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const runs = scaled(200, 8)

const anyName = fc.constantFrom(
  'a',
  'b.txt',
  'with space',
  'tab\there',
  'quote"d',
  'back\\slash',
  'é',
  '日本',
  'new\nline',
  '-dash',
  '.hidden',
  'x y/z',
  "it's",
)
/**
 * Not the name of a file of the tree: git takes no patch that makes a folder of a link which leads to itself.
 */
const anyTarget = fc.constantFrom('elsewhere', '../up', 'no such/and "quotes"', 'tärget', '/absolute/path')
const anyPath = fc.array(anyName, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
const anyLine = fc.constantFrom(
  'one\n',
  'two\n',
  'three\n',
  '\n',
  '--- a/x\n',
  '+++ b/x\n',
  '@@ -1 +1 @@\n',
  '\\ No newline\n',
  'cr\r\n',
  '\t tab \n',
  'é\n',
  ' ',
)
const anyText = fc.array(anyLine, { maxLength: 40 }).map((lines) => lines.join(''))
const anyBytes = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      Buffer.alloc(0),
      Buffer.alloc(5000, 1),
      Buffer.from([0]),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('no end'),
    ),
  },
)
const anyEntry = fc.tuple(
  anyPath,
  fc.oneof({ weight: 5, arbitrary: anyBytes }, { weight: 1, arbitrary: anyTarget }),
  fc.boolean(),
)

const edit = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path: anyPath, bytes: anyBytes }),
  fc.record({
    do: fc.constant('lines' as const),
    pick: fc.nat(),
    at: fc.nat(),
    cut: fc.nat({ max: 4 }),
    put: anyText,
  }),
  fc.record({ do: fc.constant('bytes' as const), pick: fc.nat(), bytes: anyBytes }),
  fc.record({ do: fc.constant('remove' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('rename' as const), pick: fc.nat(), path: anyPath }),
  fc.record({ do: fc.constant('renameFolder' as const), pick: fc.nat(), path: anyPath }),
  fc.record({ do: fc.constant('mode' as const), pick: fc.nat(), executable: fc.boolean() }),
  fc.record({ do: fc.constant('link' as const), path: anyPath, target: anyTarget }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never
type SyncFs = ReturnType<typeof layerOver>['fs']

test(`git apply takes the diff of ${runs} random edit scripts and gives the same tree`, (context) => {
  needs(context, 'git')
  const base = tempFolder()
  let count = 0
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 12 }),
      fc.array(edit, { minLength: 1, maxLength: 12 }),
      (entries, edits) => {
        count += 1
        const folder = join(base, String(count))
        const [origin, copy] = [join(folder, 'origin'), join(folder, 'copy')]
        mkdirSync(origin, { recursive: true })
        for (const [path, content, executable] of entries)
          quietly(() => plant(join(origin, path), content, executable))
        cpSync(origin, copy, { recursive: true, verbatimSymlinks: true })
        const { layer, fs } = layerOver(origin)
        using _layer = layer
        const before = treeOfLayer(layer, origin)
        for (const each of edits) quietly(() => perform(fs, origin, [...treeOfLayer(layer, origin)], each))
        const after = treeOfLayer(layer, origin)
        const patch = unifiedDiff(before, after)
        if (patch !== '') gitApply(copy, patch, [])
        expect(gitTree(diskTree(copy))).toEqual(gitTree(after))
        if (patch !== '') gitApply(copy, patch, ['-R'])
        expect(gitTree(diskTree(copy))).toEqual(gitTree(before))
        expect(diskTree(origin)).toEqual(before)
      },
    ),
    { numRuns: runs },
  )
}, 300_000)

function plant(path: string, content: Buffer | string, executable: boolean): void {
  mkdirSync(join(path, '..'), { recursive: true })
  if (typeof content === 'string') symlinkSync(content, path)
  else writeFileSync(path, content, { mode: executable ? 0o755 : 0o644 })
}

function perform(
  fs: SyncFs,
  root: string,
  tree: readonly (readonly [string, FileTree extends ReadonlyMap<string, infer E> ? E : never])[],
  each: Edit,
): void {
  const files = tree.filter(([, entry]) => entry.kind !== 'folder').map(([path]) => path)
  const folders = tree.filter(([, entry]) => entry.kind === 'folder').map(([path]) => path)
  const picked = 'pick' in each ? (files[each.pick % Math.max(1, files.length)] ?? 'none') : ''
  const at = join(root, picked)
  const to = 'path' in each ? join(root, each.path) : ''
  if (to !== '') fs.mkdirSync(join(to, '..'), { recursive: true })
  switch (each.do) {
    case 'write':
      return void fs.writeFileSync(to, each.bytes)
    case 'bytes':
      return void fs.writeFileSync(at, each.bytes)
    case 'lines': {
      const lines = fs.readFileSync(at, 'latin1').split(/(?<=\n)/)
      lines.splice(each.at % (lines.length + 1), each.cut, each.put)
      return void fs.writeFileSync(at, lines.join(''), 'latin1')
    }
    case 'remove':
      return void fs.unlinkSync(at)
    case 'rename':
      return void fs.renameSync(at, to)
    case 'renameFolder':
      return void fs.renameSync(join(root, folders[each.pick % Math.max(1, folders.length)] ?? 'none'), to)
    case 'mode':
      return void fs.chmodSync(at, each.executable ? 0o755 : 0o644)
    case 'link':
      return void fs.symlinkSync(each.target, to)
  }
}

/** An edit that the tree does not allow is left out, as a file system would. */
function quietly(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
  }
}

function gitApply(folder: string, patch: string, options: readonly string[]): void {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..'), LC_ALL: 'C' }
  try {
    execFileSync('git', ['apply', '--whitespace=nowarn', ...options, '-'], {
      cwd: folder,
      input: patch,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw new Error(
      `git apply ${options.join(' ')}: ${String((error as { stderr?: unknown }).stderr)}\n${patch}`,
    )
  }
}

function diskTree(folder: string): FileTree {
  const { layer } = layerOver(folder)
  using _layer = layer
  return treeOfLayer(layer, folder)
}

/** What git can say: files and links, and of a mode the executable bit. */
function gitTree(tree: FileTree): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [path, entry] of tree) {
    if (entry.kind === 'symlink') shown[path] = `-> ${entry.target}`
    else if (entry.kind === 'file')
      shown[path] = `${(entry.mode & 0o100) === 0 ? '' : 'x '}${Buffer.from(entry.bytes).toString('latin1')}`
  }
  return shown
}
