/**
 * What the layer promises beyond being like a disk: the disk stays, deletions hide, memory is bounded,
 * nothing leads out.
 */
import nodeFs, { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyLower } from '../../src/boundaries/files/layer/lower.ts'
import { layerOver } from '../support/layer-over.ts'
import { tempFolder } from '../support/temp-folder.ts'

function project(): string {
  const root = join(tempFolder(), 'root')
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/one'), '1')
  writeFileSync(join(root, 'a/b/two'), '2')
  writeFileSync(join(root, 'top'), 'top')
  return root
}

describe('a deleted folder', () => {
  test('hides what lies below it, also when it is made again', () => {
    const root = project()
    const { fs } = layerOver(root)
    fs.rmSync(join(root, 'a'), { recursive: true })
    expect(fs.existsSync(join(root, 'a/b/two'))).toBe(false)
    fs.mkdirSync(join(root, 'a/b'), { recursive: true })
    expect(fs.readdirSync(join(root, 'a/b'))).toEqual([])
    expect(fs.readdirSync(join(root, 'a'))).toEqual(['b'])
    expect(readFileSync(join(root, 'a/b/two'), 'utf8')).toBe('2')
  })

  test('a renamed one is there whole, and gone from its old place', () => {
    const root = project()
    const { fs } = layerOver(root)
    fs.renameSync(join(root, 'a'), join(root, 'z'))
    expect(fs.readFileSync(join(root, 'z/b/two'), 'utf8')).toBe('2')
    expect(fs.existsSync(join(root, 'a'))).toBe(false)
    fs.mkdirSync(join(root, 'a'))
    expect(fs.readdirSync(join(root, 'a'))).toEqual([])
    fs.writeFileSync(join(root, 'z/b/two'), 'new')
    fs.renameSync(join(root, 'z/b'), join(root, 'a/b'))
    expect(fs.readFileSync(join(root, 'a/b/two'), 'utf8')).toBe('new')
    expect(readdirSync(root).sort()).toEqual(['a', 'top'])
  })
})

describe('inodes', () => {
  test('stay with a file through writes and renames; new files have their own', () => {
    const root = project()
    const { fs } = layerOver(root)
    const { ino } = fs.statSync(join(root, 'top'))
    expect(ino).toBe(nodeFs.statSync(join(root, 'top')).ino)
    fs.writeFileSync(join(root, 'top'), 'changed')
    fs.renameSync(join(root, 'top'), join(root, 'a/top'))
    expect(fs.statSync(join(root, 'a/top')).ino).toBe(ino)
    fs.writeFileSync(join(root, 'x'), '')
    fs.writeFileSync(join(root, 'y'), '')
    expect(new Set([ino, fs.statSync(join(root, 'x')).ino, fs.statSync(join(root, 'y')).ino]).size).toBe(3)
  })

  test('two names of one file on disk are one file in the layer', () => {
    const root = project()
    linkSync(join(root, 'top'), join(root, 'a/same'))
    const { fs } = layerOver(root)
    fs.writeFileSync(join(root, 'top'), 'by the other name')
    expect(fs.readFileSync(join(root, 'a/same'), 'utf8')).toBe('by the other name')
    expect(readFileSync(join(root, 'a/same'), 'utf8')).toBe('top')
  })

  test('an open file without a name can be read and written', () => {
    const root = project()
    const { fs } = layerOver(root)
    const fd = fs.openSync(join(root, 'top'), 'r+')
    fs.unlinkSync(join(root, 'top'))
    fs.writeSync(fd, Buffer.from('T'), 0, 1, 0)
    const bytes = Buffer.alloc(3)
    fs.readSync(fd, bytes, 0, 3, 0)
    expect(bytes.toString()).toBe('Top')
    expect(fs.fstatSync(fd).nlink).toBe(0)
    fs.closeSync(fd)
    expect(fs.existsSync(join(root, 'top'))).toBe(false)
  })
})

describe('the lower world', () => {
  test('is asked each time: what another process writes to the disk is seen, until the program changes it', () => {
    const root = project()
    const { fs } = layerOver(root)
    expect(fs.readFileSync(join(root, 'top'), 'utf8')).toBe('top')
    writeFileSync(join(root, 'top'), 'by a subprocess')
    writeFileSync(join(root, 'later'), 'new')
    expect(fs.readFileSync(join(root, 'top'), 'utf8')).toBe('by a subprocess')
    expect(fs.readdirSync(root)).toContain('later')
    fs.writeFileSync(join(root, 'top'), 'mine')
    writeFileSync(join(root, 'top'), 'too late')
    expect(fs.readFileSync(join(root, 'top'), 'utf8')).toBe('mine')
  })

  test('may be nothing at all', () => {
    const { fs } = layerOver('/world', { lower: emptyLower(['/world']), who: { uid: 0, groups: [0] } })
    fs.mkdirSync('/world/a/b', { recursive: true })
    fs.writeFileSync('/world/a/b/c', 'text')
    expect(fs.readdirSync('/world/a')).toEqual(['b'])
    expect(fs.readFileSync('/world/a/b/c', 'utf8')).toBe('text')
    expect(() => fs.writeFileSync('/elsewhere', '')).toThrow(
      expect.objectContaining({ code: 'EROFS', errno: -30, syscall: 'open', path: '/elsewhere' }),
    )
  })
})

describe('outside of the roots', () => {
  test('nothing is written, by whatever links it is reached', () => {
    const root = project()
    writeFileSync(join(root, '../outside'), 'kept')
    symlinkSync('..', join(root, 'up'))
    symlinkSync(join(root, '../outside'), join(root, 'straight'))
    const { fs } = layerOver(root)
    fs.symlinkSync('up/outside', join(root, 'twice'))
    const refused: readonly (() => void)[] = [
      () => fs.writeFileSync(join(root, 'straight'), 'x'),
      () => fs.writeFileSync(join(root, 'twice'), 'x'),
      () => fs.appendFileSync(join(root, 'up/outside'), 'x'),
      () => fs.unlinkSync(join(root, 'up/outside')),
      () => fs.renameSync(join(root, 'top'), join(root, 'up/top')),
      () => fs.renameSync(join(root, 'up/outside'), join(root, 'in')),
      () => fs.linkSync(join(root, 'up/outside'), join(root, 'in')),
      () => fs.mkdirSync(join(root, '../new')),
      () => fs.symlinkSync('x', join(root, 'up/new')),
      () => fs.chmodSync(join(root, 'straight'), 0o777),
      () => fs.truncateSync(join(root, 'straight')),
      () => fs.utimesSync(join(root, 'straight'), 1, 1),
      () => fs.copyFileSync(join(root, 'top'), join(root, 'up/new')),
      () => fs.rmdirSync(root),
    ]
    for (const act of refused) expect(act, String(act)).toThrow(expect.objectContaining({ code: 'EROFS' }))
    expect(fs.readFileSync(join(root, 'twice'), 'utf8')).toBe('kept')
    expect(readdirSync(join(root, '..')).sort()).toEqual(['outside', 'root'])
  })
})

describe('rights', () => {
  const stranger = { uid: 54_321, groups: [54_321] }

  test('are those of the modes for whoever is not the superuser', () => {
    const root = project()
    nodeFs.chmodSync(join(root, 'top'), 0o640)
    nodeFs.chmodSync(join(root, 'a'), 0o711)
    nodeFs.chmodSync(root, 0o1777)
    nodeFs.chmodSync(join(root, '..'), 0o755)
    const { fs } = layerOver(root, { who: stranger })
    const denied: readonly (readonly [code: string, act: () => void])[] = [
      ['EACCES', () => fs.readFileSync(join(root, 'top'))],
      ['EACCES', () => fs.writeFileSync(join(root, 'a/new'), '')],
      ['EACCES', () => fs.readdirSync(join(root, 'a'))],
      ['EACCES', () => fs.accessSync(join(root, 'top'), nodeFs.constants.R_OK)],
      ['EPERM', () => fs.chmodSync(join(root, 'top'), 0o777)],
      ['EPERM', () => fs.unlinkSync(join(root, 'top'))],
    ]
    for (const [code, act] of denied) expect(act, String(act)).toThrow(expect.objectContaining({ code }))
    expect(fs.readFileSync(join(root, 'a/one'), 'utf8')).toBe('1')
    fs.writeFileSync(join(root, 'own'), 'mine', { mode: 0o400 })
    expect(fs.statSync(join(root, 'own'))).toMatchObject({ uid: 54_321, gid: 54_321 })
    expect(() => fs.writeFileSync(join(root, 'own'), 'again')).toThrow(
      expect.objectContaining({ code: 'EACCES' }),
    )
    fs.unlinkSync(join(root, 'own'))
  })
})

describe('memory', () => {
  test('stays below the limit; what is beyond goes to a file without a name', () => {
    const root = project()
    const temp = tempFolder()
    const before = process.env.TMPDIR
    process.env.TMPDIR = temp
    try {
      const limit = 1024 * 1024
      const { layer, fs } = layerOver(root, { memoryBytes: limit })
      using _layer = layer
      for (let file = 0; file < 12; file += 1) {
        fs.writeFileSync(join(root, `big-${file}`), Buffer.alloc(512 * 1024, file))
        expect(layer.contents.memoryBytes()).toBeLessThanOrEqual(limit)
      }
      fs.appendFileSync(join(root, 'big-11'), 'end')
      fs.truncateSync(join(root, 'big-10'), 3)
      for (let file = 0; file < 10; file += 1)
        expect(fs.readFileSync(join(root, `big-${file}`)).equals(Buffer.alloc(512 * 1024, file))).toBe(true)
      expect(fs.readFileSync(join(root, 'big-11')).subarray(-4).toString('latin1')).toBe('\u000bend')
      expect([...fs.readFileSync(join(root, 'big-10'))]).toEqual([10, 10, 10])
      expect(readdirSync(temp)).toEqual([])
      for (let file = 0; file < 12; file += 1) fs.unlinkSync(join(root, `big-${file}`))
      expect(layer.contents.memoryBytes()).toBe(0)
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })

  test('what was cut off does not show when a file grows again', () => {
    const root = project()
    for (const memoryBytes of [1024, 0]) {
      const { layer, fs } = layerOver(root, { memoryBytes })
      using _layer = layer
      fs.writeFileSync(join(root, 'x'), 'secret text')
      fs.truncateSync(join(root, 'x'), 2)
      fs.truncateSync(join(root, 'x'), 6)
      expect(fs.readFileSync(join(root, 'x'), 'latin1')).toBe('se\0\0\0\0')
    }
  })
})
