import fc from 'fast-check'
import { expect, test } from 'vitest'
import { currentFeatures } from './features.ts'
import { createHeader } from './header.ts'
import {
  nameAs,
  nameHeader,
  nameText,
  recordedPlaces,
  resolveHeader,
  resolveText,
  shownHeader,
} from './root-names.ts'

const PLACES = { root: '/home/ann/agent', home: '/home/ann', temp: '/tmp' }
const THERE = { root: '/srv/checkout', home: '/root', temp: '/var/tmp' }

test.each([
  ['/home/ann/agent', '$ROOT'],
  ['/home/ann/agent/a.mjs', '$ROOT/a.mjs'],
  ['--import=/home/ann/agent/load.mjs', '--import=$ROOT/load.mjs'],
  ['file:///home/ann/agent/load.mjs', 'file://$ROOT/load.mjs'],
  ['/home/ann/.nvm/node', '$HOME/.nvm/node'],
  ['/tmp/in.txt,/home/ann/agent/b', '$TMP/in.txt,$ROOT/b'],
  ['/home/ann/agent-2/a.mjs', '$HOME/agent-2/a.mjs'],
  ['/home/anne/a.mjs', '/home/anne/a.mjs'],
  ['/tmpfs/x', '/tmpfs/x'],
  ['/var/tmp/x', '/var/tmp/x'],
  ['https://host/tmp/x', 'https://host/tmp/x'],
  ['$HOME/x', '$$HOME/x'],
  ['$5 and $$', '$5 and $$$'],
  ['agent.mjs', 'agent.mjs'],
])('%s is written as %s', (text, named) => {
  expect(nameText(text, [PLACES])).toBe(named)
  expect(resolveText(named, PLACES)).toBe(text)
})

test('every text comes back, whatever dollars and folders it has', () => {
  const piece = fc.constantFrom(
    ...[
      '$',
      '$$',
      'ROOT',
      'HOME',
      'TMP',
      '/',
      '/tmp',
      '/home/ann',
      '/home/ann/agent',
      'a',
      ' ',
      '=',
      ':',
      "'",
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      expect(resolveText(nameText(text, [PLACES]), PLACES)).toBe(text)
      expect(resolveText(nameText(text, []), PLACES)).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test('a header has the names, and another machine reads its own folders', () => {
  const named = createHeader(
    nameHeader(
      {
        roots: ['/home/ann/agent', '/home/ann/data', '/opt/x'],
        home: '/home/ann',
        temp: '/tmp',
        command: ['/home/ann/.nvm/node', '/home/ann/agent/a.mjs'],
        program: { execArgs: ['--import', '/home/ann/agent/l.mjs'], script: 'a.mjs', args: ['/tmp/in'] },
        modules: { 'a.mjs': '1', '/home/ann/lib/b.mjs': '2' },
        nodeOptions: '--require /home/ann/agent/r.cjs',
      },
      PLACES,
    ),
  )
  expect(JSON.stringify(named)).not.toMatch(/"[^"]*\/(?:home|tmp)\b/)
  expect(named.features).toEqual([...currentFeatures, 19])
  expect(resolveHeader(named, THERE)).toMatchObject({
    roots: ['/srv/checkout', '/root/data', '/opt/x'],
    home: '/root',
    temp: '/var/tmp',
    command: ['/root/.nvm/node', '/srv/checkout/a.mjs'],
    program: { execArgs: ['--import', '/srv/checkout/l.mjs'], script: 'a.mjs', args: ['/var/tmp/in'] },
    modules: { 'a.mjs': '1', '/root/lib/b.mjs': '2' },
    nodeOptions: '--require /srv/checkout/r.cjs',
  })
  expect(shownHeader(named).command).toEqual(['$HOME/.nvm/node', '$ROOT/a.mjs'])
  expect(nameAs(named, { command: ['/srv/checkout/a.mjs', '/tmp'] }, [PLACES, THERE]).command).toEqual([
    '$ROOT/a.mjs',
    '$TMP',
  ])
})

test('the root folder of the disk has its name in roots only', () => {
  const places = { root: '/', home: '/', temp: '/tmp' }
  const named = nameHeader({ roots: ['/'], home: '/', temp: '/tmp', command: ['node', '/a.mjs'] }, places)
  expect(named).toMatchObject({ roots: ['$ROOT'], home: '$HOME', command: ['node', '/a.mjs'] })
})

test('a tape without the feature is read as it is', () => {
  const old = createHeader({
    roots: ['/home/ann/agent'],
    home: '/home/ann',
    command: ['node', '$ROOT/a.mjs'],
  })
  expect(resolveHeader(old, THERE)).toBe(old)
  expect(shownHeader(old)).toBe(old)
  expect(recordedPlaces(old, null)).toEqual({ root: '/home/ann/agent', home: '/home/ann', temp: null })
})

test('a name that leads out of its folder is only a path', () => {
  expect(resolveText('$ROOT/../../etc/x.mjs', PLACES)).toBe('/home/ann/agent/../../etc/x.mjs')
})

test('a place that is longer than any path has no name', () => {
  const root = `/${'a'.repeat(100_000)}`
  expect(nameText(`${root}/x`, [{ root, home: null, temp: '/t' }])).toBe(`${root}/x`)
})
