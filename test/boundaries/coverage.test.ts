/**
 * Every clock, random source and entry point of every Node at hand is in the table of what is captured, and
 * the table tells the truth.
 */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { expect, test } from 'vitest'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { coverage, coverageRows } from '../../src/boundaries/coverage.ts'
import { envPatches } from '../../src/boundaries/env/index.ts'
import { FileHandle } from '../../src/boundaries/files/file-handle.ts'
import { filesPatches } from '../../src/boundaries/files/index.ts'
import type { CrossingName } from '../../src/boundaries/names.ts'
import type { Patch } from '../../src/boundaries/patches.ts'
import { processPatches } from '../../src/boundaries/process/index.ts'
import { randomPatches } from '../../src/boundaries/random/index.ts'
import { namesOfNode } from '../../src/real/ask-node.ts'
import { newerNode } from '../support/newer-node.ts'

const program = new URL('../../dist/real/print-node-names.js', import.meta.url).pathname
const listed = new Set(coverageRows().map(({ place, name }) => `${place}: ${name}`))

for (const name of ['this Node', 'node22', 'node24', 'node26']) {
  test(`no name of ${name} is unlisted`, (context) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    if (node === null) context.skip(name)
    expect(unlisted(node ?? '')).toEqual([])
  })
}

test('an unlisted name is found', () => {
  expect(unlisted(process.execPath, ['--expose-gc'])).toEqual(['globalThis: gc'])
})

// Under a newer Node (test/newer-nodes) Node 20 is not there, and its own names are not.
const isOldest = process.versions.node.startsWith('20.')

test('no name has two marks, and every place is enumerated', () => {
  expect(listed.size).toBe(coverageRows().length)
  const nodes = [process.execPath, ...['node22', 'node24', 'node26'].map(newerNode)].filter(
    (node) => node !== null,
  )
  const enumerated = new Set(nodes.flatMap((node) => Object.keys(namesOf(node))))
  const absent = coverage.map(({ place }) => place).filter((place) => !enumerated.has(place))
  expect(isOldest ? absent : absent.filter((place) => !/^node:crypto\./.test(place))).toEqual([])
  const here = new Set(coverage.map(({ place }) => place))
  expect([...enumerated].filter((place) => !here.has(place))).toEqual([])
})

test('every name of the table is there in at least one Node', (context) => {
  const nodes = ['node22', 'node24', 'node26'].map(newerNode)
  if (nodes.includes(null)) context.skip('node22, node24, node26')
  const found = new Set([process.execPath, ...nodes].flatMap((node) => namesIn(node ?? '')))
  const gone = coverageRows().filter(
    ({ place, name }) => isOldest && /^(?:node:|process\.)/.test(place) && !found.has(`${place}: ${name}`),
  )
  // Listed before the newer Nodes took them away, or there on other systems only.
  expect(
    gone
      .map(({ place, name }) => `${place}: ${name}`)
      .filter((each) => !/^node:(?:crypto|fs|fs\/promises|perf_hooks|timers): /.test(each)),
  ).toEqual([])
})

const owners = new Map<object, string>([
  [globalThis, 'globalThis'],
  [Date, 'Date'],
  [AbortSignal, 'AbortSignal'],
  [Object.getPrototypeOf(performance), 'Performance.prototype'],
  [timers, 'node:timers'],
  [timersPromises, 'node:timers/promises'],
  [Object.getPrototypeOf(timersPromises.scheduler), 'scheduler'],
  [Math, 'Math'],
  [Object.getPrototypeOf(globalThis.crypto), 'Crypto.prototype'],
  [crypto, 'node:crypto'],
  [process, 'process'],
  [os, 'node:os'],
  [childProcess, 'node:child_process'],
  [fs, 'node:fs'],
  [childProcess.ChildProcess.prototype, 'node:child_process.ChildProcess#'],
  [fs.promises, 'node:fs/promises'],
])

/** Captured by what they lead to: an object whose own methods are patched. */
const BY_WHAT_IS_IN_IT = new Set([
  'node:crypto: getRandomValues',
  'node:crypto: webcrypto',
  'node:child_process: ChildProcess',
  'node:fs: promises',
  'node:fs.realpath: native',
  'node:fs.realpathSync: native',
  'process.hrtime: bigint',
  'process.memoryUsage: rss',
  // Only there as names, on other systems.
  'node:fs: lchmod',
  'node:fs: lchmodSync',
  'node:timers: promises',
  'node:timers/promises: scheduler',
])

const boundaries: readonly (readonly [name: CrossingName, patches: () => Patch[]])[] = [
  ['clock', clockPatches],
  ['random', randomPatches],
  ['env', envPatches],
  ['process', processPatches],
  ['filesystem', filesPatches],
]

test.each(boundaries)(
  'what is marked as captured by %s is patched, and the other way round',
  (boundary, patches) => {
    const patched = new Set<string>()
    for (const { owner, property } of patches()) {
      const place = owners.get(owner)
      if (place !== undefined && typeof property === 'string') patched.add(`${place}: ${property}`)
    }
    const present = namesOf(process.execPath)
    const marked = coverageRows()
      .filter(
        (row) =>
          row.mark === 'captured' &&
          row.boundary === boundary &&
          (present[row.place] ?? []).includes(row.name),
      )
      .map(({ place, name }) => `${place}: ${name}`)
    expect([...patched].filter((each) => !marked.includes(each))).toEqual([])
    const byThemselves = marked.filter(
      (each) => !/^(globalThis|node:perf_hooks|built-in modules): /.test(each) && !BY_WHAT_IS_IN_IT.has(each),
    )
    expect(
      byThemselves.filter((each) => !patched.has(each) && !/^(Temporal\.Now|FileHandle): /.test(each)),
    ).toEqual([])
  },
)

test('the stand-in for a file handle has every method of the original', () => {
  const names = Object.getOwnPropertyNames(FileHandle.prototype)
  const wanted = coverageRows().filter(({ place, mark }) => place === 'FileHandle' && mark !== 'not captured')
  expect(wanted.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([])
})

function unlisted(node: string, options: readonly string[] = []): string[] {
  return namesIn(node, options).filter((each) => !listed.has(each))
}

function namesIn(node: string, options: readonly string[] = []): string[] {
  return Object.entries(namesOf(node, options)).flatMap(([place, names]) =>
    names.map((name) => `${place}: ${name}`),
  )
}

function namesOf(node: string, options: readonly string[] = []): Readonly<Record<string, readonly string[]>> {
  const names = namesOfNode(node, program, options)
  if (names === null) throw new Error(`${node} does not answer`)
  return names
}
