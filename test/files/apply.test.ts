/**
 * `reprise apply`: what a tape says that a run changed, written to a folder; and everything that must not be.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { treesOfTape } from '../../src/testbench/files/trees-of-tape.ts'
import { reprise } from '../support/cli.ts'
import { type State, tapeOfChanges } from '../support/tape-of-changes.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CHANGES: readonly State[] = [
  { when: 'before', path: 'plan.md', state: 'file', mode: 0o644, content: 'one\ntwo\n' },
  { when: 'after', path: 'plan.md', state: 'file', mode: 0o755, content: 'one\nthree\n' },
  { when: 'before', path: 'old', state: 'folder', mode: 0o755 },
  { when: 'before', path: 'old/a', state: 'file', mode: 0o644, content: 'gone' },
  { when: 'after', path: 'new', state: 'folder', mode: 0o700 },
  { when: 'after', path: 'new/b.bin', state: 'file', mode: 0o600, content: new Uint8Array([0, 255]) },
  { when: 'after', path: 'link', state: 'symlink', target: 'new/b.bin' },
]

function folderBefore(): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'plan.md'), 'one\ntwo\n')
  mkdirSync(join(folder, 'old'))
  writeFileSync(join(folder, 'old/a'), 'gone')
  return folder
}

describe('reprise apply', () => {
  test('shows the diff and writes the result', async () => {
    const folder = folderBefore()
    const { code, stdout, stderr } = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--yes'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('diff --git a/plan.md b/plan.md\nold mode 100644\nnew mode 100755\n')
    expect(stdout).toContain(' one\n-two\n+three\n')
    expect(stdout).toContain('GIT binary patch')
    expect(stdout).toContain('added new/')
    expect(readdirSync(folder).sort()).toEqual(['link', 'new', 'plan.md'])
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\nthree\n')
    expect(lstatSync(join(folder, 'plan.md')).mode & 0o777).toBe(0o755)
    expect(lstatSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(folder, 'new/b.bin')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'new/b.bin'))).toEqual(Buffer.from([0, 255]))
    expect(readlinkSync(join(folder, 'link'))).toBe('new/b.bin')
    expect(readdirSync(join(folder, 'new'))).toEqual(['b.bin'])
  })

  test('asks on a terminal only: without one it shows, writes nothing and exits 64', async () => {
    const folder = folderBefore()
    const { code, stdout, stderr } = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder])
    expect(code).toBe(64)
    expect(stdout).toContain('+three')
    expect(stderr).toContain('[usage]; hint: pass --yes to write')
    expect(readdirSync(folder).sort()).toEqual(['old', 'plan.md'])
  })

  test.each<readonly [name: string, disturb: (folder: string) => void, path: string, reason: string]>([
    [
      'another content',
      (folder) => writeFileSync(join(folder, 'plan.md'), 'mine\n'),
      'plan.md',
      'has another content',
    ],
    [
      'a file that is there already',
      (folder) => writeFileSync(join(folder, 'link'), ''),
      'link',
      'is there already',
    ],
    [
      'a file where a folder is to be',
      (folder) => writeFileSync(join(folder, 'new'), ''),
      'new',
      'is there already',
    ],
    [
      'a link where the folder was',
      (folder) => symlinkSync('/tmp', join(folder, 'new')),
      'new',
      'is a link, and the tape has a folder there',
    ],
  ])('%s is a conflict: exit 2, nothing written', async (_name, disturb, path, reason) => {
    const folder = folderBefore()
    disturb(folder)
    const before = readdirSync(folder)
    const { code, stderr } = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--yes'])
    expect(code).toBe(2)
    expect(stderr).toContain(`reprise: ${path}: ${reason}`)
    expect(stderr).toContain('[files-conflict]')
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(join(folder, 'old/a'), 'utf8')).toBe('gone')
  })

  test('--force writes over a file that is not as the tape knew it', async () => {
    const folder = folderBefore()
    writeFileSync(join(folder, 'plan.md'), 'mine\n')
    expect(
      await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--yes', '--force']),
    ).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'plan.md'), 'utf8')).toBe('one\nthree\n')
  })

  test('--json is one document, and writes only with --yes', async () => {
    const folder = folderBefore()
    const seen = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--json'])
    expect(JSON.parse(seen.stdout)).toMatchObject({ folder, written: false, conflicts: [], notes: [] })
    expect(readdirSync(folder).sort()).toEqual(['old', 'plan.md'])
    const done = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--json', '--yes'])
    expect(JSON.parse(done.stdout)).toMatchObject({ written: true })
    expect(JSON.parse(done.stdout).files).toContainEqual({ path: 'new/b.bin', change: 'added', kind: 'file' })
    const again = await reprise(['apply', tapeOfChanges(CHANGES), '--to', folder, '--json', '--yes'])
    expect(again.code).toBe(2)
    expect(JSON.parse(again.stdout)).toMatchObject({
      written: false,
      conflicts: expect.arrayContaining([{ path: 'plan.md', reason: 'has another content' }]),
    })
  })

  test('a tape without a seal, and one that holds placeholders, are refused', async () => {
    const folder = folderBefore()
    const unsealed = await reprise([
      'apply',
      tapeOfChanges(CHANGES, { sealed: false }),
      '--to',
      folder,
      '--yes',
    ])
    expect(unsealed.code).toBe(2)
    expect(unsealed.stderr).toContain('has no seal')
    const scrubbed = CHANGES.map((state) => (state.path === 'plan.md' ? { ...state, scrubbed: 1 } : state))
    const secret = await reprise(['apply', tapeOfChanges(scrubbed), '--to', folder, '--yes'])
    expect(secret.code).toBe(2)
    expect(secret.stderr).toContain('plan.md: holds placeholders where secrets were')
    expect(readdirSync(folder).sort()).toEqual(['old', 'plan.md'])
  })

  test('a tape on which nothing changed writes nothing', async () => {
    expect(await reprise(['apply', tapeOfChanges([]), '--to', tempFolder(), '--yes'])).toMatchObject({
      code: 0,
      stdout: 'nothing was written\n',
    })
  })
})

describe('a hostile tape', () => {
  const file = { when: 'after', state: 'file', content: 'evil' } as const
  test.each<readonly [name: string, states: readonly State[]]>([
    ['a path that goes up', [{ ...file, path: '../../x' }]],
    ['a path that goes up in the middle', [{ ...file, path: 'a/../../x' }]],
    ['an absolute path', [{ ...file, path: '/tmp/reprise-evil' }]],
    ['an empty path', [{ ...file, path: '' }]],
    ['a path with a NUL', [{ ...file, path: 'a\0b' }]],
    ['a dot', [{ ...file, path: '.' }]],
    ['doubled slashes', [{ ...file, path: 'a//b' }]],
    [
      'a file below a link of its own',
      [
        { when: 'after', path: 'out', state: 'symlink', target: '/tmp' },
        { ...file, path: 'out/x' },
      ],
    ],
    ['a link without a target', [{ when: 'after', path: 'out', state: 'symlink' }]],
    ['a link to a NUL', [{ when: 'after', path: 'out', state: 'symlink', target: 'a\0' }]],
  ])('%s is refused with a code', (_name, states) => {
    expect(() => treesOfTape(tapeOfChanges([{ ...file, path: 'fine' }, ...states]))).toThrow(
      expect.objectContaining({ code: 'files-path' }),
    )
  })

  test('is refused by the command, and nothing is written, not even with --force', async () => {
    const outer = tempFolder()
    const folder = join(outer, 'inner/folder')
    mkdirSync(folder, { recursive: true })
    const tape = tapeOfChanges([
      { ...file, path: 'fine' },
      { ...file, path: '../../x' },
    ])
    const { code, stdout, stderr } = await reprise(['apply', tape, '--to', folder, '--yes', '--force'])
    expect(code).toBe(1)
    expect(stderr).toContain('[files-path]')
    expect(stdout).toBe('')
    expect(readdirSync(outer, { recursive: true }).sort()).toEqual(['inner', 'inner/folder'])
  })

  test('a link in the folder leads nowhere: not even with --force', async () => {
    const [folder, outside] = [tempFolder(), tempFolder()]
    symlinkSync(outside, join(folder, 'sub'))
    const tape = tapeOfChanges([{ ...file, path: 'sub/x' }])
    expect(await reprise(['apply', tape, '--to', folder, '--yes'])).toMatchObject({ code: 2 })
    const forced = await reprise(['apply', tape, '--to', folder, '--yes', '--force'])
    expect(forced.code).toBe(2)
    expect(forced.stderr).toContain(
      'sub/x: a folder above it is a link here, and a folder on the tape: remove the link, or apply elsewhere',
    )
    expect(readdirSync(outside)).toEqual([])
  })

  test('nothing is written into .git unless it is asked for', async () => {
    const folder = tempFolder()
    mkdirSync(join(folder, '.git/hooks'), { recursive: true })
    const tape = tapeOfChanges([{ ...file, path: '.git/hooks/pre-commit', mode: 0o755 }])
    const { code, stderr } = await reprise(['apply', tape, '--to', folder, '--yes'])
    expect(code).toBe(2)
    expect(stderr).toContain('.git/hooks/pre-commit: belongs to git, which runs files of this folder')
    expect(readdirSync(join(folder, '.git/hooks'))).toEqual([])
    expect((await reprise(['apply', tape, '--to', folder, '--yes', '--force'])).code).toBe(0)
    expect(readdirSync(join(folder, '.git/hooks'))).toEqual(['pre-commit'])
  })

  test('a set-user-id bit is not written, and nothing on the tape acts on the terminal', async () => {
    const folder = tempFolder()
    const { stdout, stderr } = await reprise([
      'apply',
      tapeOfChanges([{ ...file, path: 'a\u001b[2J', mode: 0o4755, content: '\u001b]0;x\u0007\n' }]),
      '--to',
      folder,
      '--yes',
    ])
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007]/)
    expect(lstatSync(join(folder, 'a\u001b[2J')).mode & 0o7777).toBe(0o755)
  })
})
