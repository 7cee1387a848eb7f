import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { createChangedFiles, type LookedAt } from './changed-files.ts'

type World = Map<string, { readonly mode: number; readonly text: string }>

const folder = { mode: 0o040755, text: '' }
const file = (text: string, mode = 0o100644) => ({ mode, text })
const link = (target: string) => ({ mode: 0o120777, text: target })

function looksAt(world: World): LookedAt {
  const realpath = (path: string): string | null => {
    const entry = world.get(path)
    if (entry === undefined) return null
    return (entry.mode & 0o170000) === 0o120000 ? realpath(posix.resolve(posix.dirname(path), entry.text)) : path
  }
  return {
    lstat: (path) => {
      const entry = world.get(path)
      return entry === undefined ? null : { mode: entry.mode, size: entry.text.length }
    },
    readlink: (path) => world.get(path)?.text ?? '',
    realpath,
    read: (path) => Buffer.from(world.get(path)?.text ?? ''),
    names: (path) => [...world.keys()].filter((each) => posix.dirname(each) === path && each !== path).map((each) => posix.basename(each)),
  }
}

function tracked(entries: Record<string, { mode: number; text: string }>, maxBytes = 100) {
  const world: World = new Map([['/', folder], ['/root', folder], ...Object.entries(entries)])
  const told: string[] = []
  const changed = createChangedFiles({
    roots: ['/root', '/second'],
    files: looksAt(world),
    tell: (when, path, state) => {
      const content = state.state === 'file' ? (state.bytes === null ? '(too large)' : Buffer.from(state.bytes).toString()) : state.state
      told.push(`${when} ${path}: ${content}`)
    },
    isLeftOut: (path) => path.endsWith('/node_modules'),
    maxBytes,
  })
  return { world, told, changed }
}

test('a file is told before its first change and at the end, once each', () => {
  const { world, told, changed } = tracked({ '/root/a': file('old') })
  changed.touch('/root/a', {})
  world.set('/root/a', file('newer'))
  changed.touch('/root/a', {})
  changed.end()
  expect(told).toEqual(['before a: old', 'after a: newer'])
})

test('what was not there is told at the end only; what is gone, before only', () => {
  const { world, told, changed } = tracked({ '/root/gone': file('x') })
  changed.touch('/root/new', {})
  changed.touch('/root/gone', {})
  world.delete('/root/gone')
  world.set('/root/new', file('y'))
  changed.end()
  expect(told).toEqual(['before gone: x', 'after new: y'])
})

test('a file made in the run is no file from before, also when its folder is deleted later', () => {
  const { world, told, changed } = tracked({ '/root/d': folder, '/root/d/old': file('o') })
  changed.touch('/root/d/made', {})
  world.set('/root/d/made', file('m'))
  changed.touchNew('/root/d/sub/deep')
  world.set('/root/d/sub', folder)
  world.set('/root/d/sub/deep', folder)
  changed.touch('/root/d', { deep: true })
  for (const path of ['/root/d', '/root/d/old', '/root/d/made', '/root/d/sub', '/root/d/sub/deep']) world.delete(path)
  changed.end()
  expect(told).toEqual(['before d: folder', 'before d/old: o'])
})

test('a renamed folder is told with everything in it, at both places; node_modules is not looked into', () => {
  const { world, told, changed } = tracked({
    '/root/d': folder,
    '/root/d/f': file('1'),
    '/root/d/node_modules': folder,
    '/root/d/node_modules/x': file('big'),
  })
  changed.touch('/root/d', { deep: true })
  changed.touch('/root/e', { deep: true })
  world.delete('/root/d')
  world.delete('/root/d/f')
  world.set('/root/e', folder)
  world.set('/root/e/f', file('1'))
  changed.touch('/root/e/f', {})
  changed.end()
  expect(told).toEqual(['before d: folder', 'before d/f: 1', 'after e: folder', 'after e/f: 1'])
})

test('a name that led to a file and then to a link is looked at again', () => {
  const { world, told, changed } = tracked({ '/root/a': file('1'), '/root/b': file('2') })
  changed.touch('/root/a', { follow: true })
  changed.touch('/root/a', {})
  world.set('/root/a', link('b'))
  changed.touch('/root/a', { follow: true })
  expect(told).toEqual(['before a: 1', 'before b: 2'])
})

test('a link is followed to what is changed; what lies outside of the roots is not told', () => {
  const { told, changed } = tracked({ '/root/link': link('real'), '/root/real': file('r'), '/elsewhere': file('e'), '/root/out': link('/elsewhere') })
  changed.touch('/root/link', { follow: true })
  changed.touch('/root/out', { follow: true })
  changed.touch('/elsewhere', {})
  expect(told).toEqual(['before link: symlink', 'before real: r', 'before out: symlink'])
})

test('further roots have names of their own, and a large file is told without its content', () => {
  const { told, changed } = tracked({ '/second': folder, '/second/a': file('x'), '/root/large': file('y'.repeat(101)) })
  changed.touch('/second/a', {})
  changed.touch('/root/large', {})
  expect(told).toEqual(['before $ROOT1/a: x', 'before large: (too large)'])
})
