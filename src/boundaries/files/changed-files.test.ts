import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { createChangedFiles, type FileContent, type FileView } from './changed-files.ts'

type World = Map<string, { readonly mode: number; readonly text: string }>

const folder = { mode: 0o040755, text: '' }
const file = (text: string, mode = 0o100644) => ({ mode, text })
const link = (target: string) => ({ mode: 0o120777, text: target })

function looksAt(world: World): FileView {
  const realpath = (path: string): string | null => {
    const entry = world.get(path)
    if (entry === undefined) return null
    return (entry.mode & 0o170000) === 0o120000
      ? realpath(posix.resolve(posix.dirname(path), entry.text))
      : path
  }
  return {
    lstat: (path) => {
      const entry = world.get(path)
      return entry === undefined ? null : { mode: entry.mode, size: entry.text.length }
    },
    readlink: (path) => world.get(path)?.text ?? '',
    realpath,
    read: (path) => Buffer.from(world.get(path)?.text ?? ''),
    pieces: (path, size) => (size > 50 ? [Buffer.from(world.get(path)?.text ?? '')] : null),
    names: (path) =>
      [...world.keys()]
        .filter((each) => posix.dirname(each) === path && each !== path)
        .map((each) => posix.basename(each)),
  }
}

function textOf(content: FileContent): string {
  if (content === null) return '(too large)'
  if (content instanceof Uint8Array) return Buffer.from(content).toString()
  return `in pieces: ${Buffer.concat([...content.pieces]).toString()}`
}

function tracked(entries: Record<string, { mode: number; text: string }>, maxBytes = 100) {
  const world: World = new Map([['/', folder], ['/project', folder], ...Object.entries(entries)])
  const reported: string[] = []
  const changed = createChangedFiles({
    roots: ['/project', '/second'],
    files: looksAt(world),
    onState: (when, path, state) => {
      reported.push(`${when} ${path}: ${state.state === 'file' ? textOf(state.content) : state.state}`)
    },
    isLeftOut: (path) => path.endsWith('/node_modules'),
    maxBytes,
  })
  return { world, reported, changed }
}

test('a file is told before its first change and at the end, once each', () => {
  const { world, reported, changed } = tracked({ '/project/a': file('old') })
  changed.touch('/project/a', {})
  world.set('/project/a', file('newer'))
  changed.touch('/project/a', {})
  changed.end()
  expect(reported).toEqual(['before a: old', 'after a: newer'])
})

test('what was not there is told at the end only; what is gone, before only', () => {
  const { world, reported, changed } = tracked({ '/project/gone': file('x') })
  changed.touch('/project/new', {})
  changed.touch('/project/gone', {})
  world.delete('/project/gone')
  world.set('/project/new', file('y'))
  changed.end()
  expect(reported).toEqual(['before gone: x', 'after new: y'])
})

test('a file made in the run is no file from before, also when its folder is deleted later', () => {
  const { world, reported, changed } = tracked({ '/project/d': folder, '/project/d/old': file('o') })
  changed.touch('/project/d/made', {})
  world.set('/project/d/made', file('m'))
  changed.touchNew('/project/d/sub/deep')
  world.set('/project/d/sub', folder)
  world.set('/project/d/sub/deep', folder)
  changed.touch('/project/d', { deep: true })
  for (const path of [
    '/project/d',
    '/project/d/old',
    '/project/d/made',
    '/project/d/sub',
    '/project/d/sub/deep',
  ])
    world.delete(path)
  changed.end()
  expect(reported).toEqual(['before d: folder', 'before d/old: o'])
})

test('a renamed folder is told with everything in it, at both places; node_modules is not looked into', () => {
  const { world, reported, changed } = tracked({
    '/project/d': folder,
    '/project/d/f': file('1'),
    '/project/d/node_modules': folder,
    '/project/d/node_modules/x': file('big'),
  })
  changed.touch('/project/d', { deep: true })
  changed.touch('/project/e', { deep: true })
  world.delete('/project/d')
  world.delete('/project/d/f')
  world.set('/project/e', folder)
  world.set('/project/e/f', file('1'))
  changed.touch('/project/e/f', {})
  changed.end()
  expect(reported).toEqual(['before d: folder', 'before d/f: 1', 'after e: folder', 'after e/f: 1'])
})

test('a name that led to a file and then to a link is looked at again', () => {
  const { world, reported, changed } = tracked({ '/project/a': file('1'), '/project/b': file('2') })
  changed.touch('/project/a', { follow: true })
  changed.touch('/project/a', {})
  world.set('/project/a', link('b'))
  changed.touch('/project/a', { follow: true })
  expect(reported).toEqual(['before a: 1', 'before b: 2'])
})

test('a link is followed to what is changed; what lies outside of the roots is not told', () => {
  const { reported, changed } = tracked({
    '/project/link': link('real'),
    '/project/real': file('r'),
    '/elsewhere': file('e'),
    '/project/out': link('/elsewhere'),
  })
  changed.touch('/project/link', { follow: true })
  changed.touch('/project/out', { follow: true })
  changed.touch('/elsewhere', {})
  expect(reported).toEqual(['before link: symlink', 'before real: r', 'before out: symlink'])
})

test('further roots have names of their own, and a large file is told without its content', () => {
  const { reported, changed } = tracked({
    '/second': folder,
    '/second/a': file('x'),
    '/project/large': file('y'.repeat(101)),
  })
  changed.touch('/second/a', {})
  changed.touch('/project/large', {})
  expect(reported).toEqual(['before $ROOT1/a: x', 'before large: (too large)'])
})

test('the content of a large file comes in pieces', () => {
  const { reported, changed } = tracked({ '/project/a': file('x'.repeat(60)) })
  changed.touch('/project/a', {})
  expect(reported).toEqual([`before a: in pieces: ${'x'.repeat(60)}`])
})
