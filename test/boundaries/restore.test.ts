/**
 * Every boundary leaves the shared objects exactly as it found them, shares its patches, and does nothing
 * outside a session.
 */
import { ChildProcess, exec, spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import os, { arch, endianness } from 'node:os'
import timers from 'node:timers'
import { gzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { runInSession } from '../../src/boundaries/context.ts'
import { envPatches } from '../../src/boundaries/env/index.ts'
import { filesPatches } from '../../src/boundaries/files/index.ts'
import { networkPatches } from '../../src/boundaries/network/index.ts'
import { offthreadPatches } from '../../src/boundaries/offthread/index.ts'
import {
  installPatches,
  type Patch,
  patchFunction,
  updatingImportsOnce,
} from '../../src/boundaries/patches.ts'
import { processPatches } from '../../src/boundaries/process/index.ts'
import { randomPatches } from '../../src/boundaries/random/index.ts'
import { stdinPatches } from '../../src/boundaries/stdio/stdin.ts'
import { recordingSession } from '../support/fake-session.ts'

/** Comes and goes with undici, which Node loads when something first asks for it. */
const COMES_LATER = /undici/

type Descriptors = Map<object, Map<PropertyKey, PropertyDescriptor>>

const boundaries: readonly (readonly [name: string, patches: () => Patch[], use: () => unknown])[] = [
  [
    'clock',
    clockPatches,
    () => [
      new Date(),
      performance.now(),
      process.hrtime.bigint(),
      clearTimeout(setTimeout(() => undefined, 5)),
      AbortSignal.timeout(1),
    ],
  ],
  [
    'random',
    randomPatches,
    () => [
      Math.random(),
      crypto.randomBytes(4),
      crypto.randomUUID(),
      globalThis.crypto.getRandomValues(new Uint8Array(1)),
    ],
  ],
  [
    'network',
    networkPatches,
    () => [
      http
        .get('http://127.0.0.1:1/')
        .on('error', () => undefined)
        .destroy(),
      https
        .get('https://127.0.0.1:1/')
        .on('error', () => undefined)
        .destroy(),
      net
        .connect(1, '127.0.0.1')
        .on('error', () => undefined)
        .destroy(),
    ],
  ],
  [
    'env',
    envPatches,
    () => [
      process.env.PATH,
      { ...process.env },
      process.pid,
      process.cwd(),
      os.hostname(),
      process.memoryUsage(),
    ],
  ],
  ['stdio', stdinPatches, () => [process.stdin.isTTY, process.stdin.readable]],
  [
    'offthread',
    offthreadPatches,
    () => [
      crypto.hkdf('sha256', 'key', 'salt', '', 8, () => undefined),
      crypto.subtle.digest('SHA-1', new Uint8Array(1)),
      gzip('x', () => undefined),
    ],
  ],
  [
    'filesystem',
    filesPatches,
    () => [
      fs.readFileSync('package.json', 'utf8').length,
      fs.existsSync('no-such-file'),
      fs.stat('package.json', () => undefined),
      fs.promises.readdir('src').then(() => undefined),
      fs.createReadStream('package.json').on('error', () => undefined),
      fs.closeSync(fs.openSync('package.json', 'r')),
    ],
  ],
  ['process', processPatches, () => [spawn('true'), exec('true'), spawnSync('true'), new ChildProcess()]],
]

test.each(boundaries)(
  '%s: after use and restore every own descriptor of the touched objects is the same',
  (_name, patches, use) => {
    const owners = new Set(patches().map(({ owner }) => owner))
    const before = descriptorsOf(owners)
    {
      using _installed = installPatches(patches())
      expect(differences(before, descriptorsOf(owners)).length).toBeGreaterThanOrEqual(patches().length)
      runInSession(recordingSession(), use)
    }
    expect(differences(before, descriptorsOf(owners))).toEqual([])
  },
)

test.each(boundaries)(
  '%s: two users share one patch, and the first to leave does not take it away',
  (_name, patches, use) => {
    const owners = new Set(patches().map(({ owner }) => owner))
    const before = descriptorsOf(owners)
    const first = installPatches(patches())
    const patched = descriptorsOf(owners)
    const second = installPatches(patches())
    expect(differences(patched, descriptorsOf(owners))).toEqual([])
    first[Symbol.dispose]()
    expect(differences(patched, descriptorsOf(owners))).toEqual([])
    const sessions = [recordingSession(), recordingSession()]
    for (const session of sessions) runInSession(session, use)
    expect(sessions[0]?.crossings.length).toBeGreaterThan(0)
    expect(sessions[0]?.crossings.length).toBe(sessions[1]?.crossings.length)
    second[Symbol.dispose]()
    expect(differences(before, descriptorsOf(owners))).toEqual([])
  },
)

test.each(boundaries)('%s: outside a session nothing crosses', (_name, patches, use) => {
  using _installed = installPatches(patches())
  const session = recordingSession()
  runInSession(session, () => undefined)
  use()
  expect(session.crossings).toEqual([])
})

test('the functions of globalThis and of node:timers stay one', () => {
  using _installed = installPatches(clockPatches())
  for (const name of [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'clearImmediate',
  ] as const) {
    expect(globalThis[name]).toBe(timers[name])
  }
  expect(Date.prototype.constructor).toBe(Date)
})

test('timers of a session that has ended do no harm: those that are started later fire', async () => {
  const session = recordingSession()
  const left = (() => {
    using _installed = installPatches(clockPatches())
    return runInSession(
      session,
      () =>
        [
          setTimeout(() => undefined, 1000),
          setInterval(() => undefined, 1000),
          setImmediate(() => undefined),
        ] as const,
    )
  })()
  left[0].unref().ref()
  left[0].close()
  clearInterval(left[1])
  clearImmediate(left[2])
  // An immediate counted off too often would leave this one waiting for good.
  expect(await new Promise((resolve) => setImmediate(resolve, 'immediate'))).toBe('immediate')
  expect(await new Promise((resolve) => setTimeout(resolve, 1, 'timeout'))).toBe('timeout')
})

function descriptorsOf(owners: ReadonlySet<object>): Descriptors {
  return new Map(
    [...owners].map((owner) => [
      owner,
      new Map(Reflect.ownKeys(owner).map((key) => [key, Object.getOwnPropertyDescriptor(owner, key) ?? {}])),
    ]),
  )
}

function differences(before: Descriptors, after: Descriptors): string[] {
  const found: string[] = []
  for (const [owner, properties] of before) {
    const now = after.get(owner) ?? new Map<PropertyKey, PropertyDescriptor>()
    for (const key of new Set([...properties.keys(), ...now.keys()]))
      if (!isSame(properties.get(key), now.get(key)) && !COMES_LATER.test(String(key)))
        found.push(String(key))
  }
  return found
}

function isSame(a: PropertyDescriptor | undefined, b: PropertyDescriptor | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const fields = ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'] as const
  return fields.every((field) => Object.is(a[field], b[field]))
}

test('two patches of one property in one list are refused, and nothing is patched', () => {
  const owner = { greet: () => 'hello', other: () => 'other' }
  const patch = (property: 'greet' | 'other'): Patch => ({
    owner,
    property,
    replace: (original) => ({ ...original, value: () => 'patched' }),
  })
  expect(() => installPatches([patch('other'), patch('greet'), patch('greet')])).toThrow(
    new TypeError('two patches of one property in one list: greet'),
  )
  expect([owner.greet(), owner.other()]).toEqual(['hello', 'other'])
  const shared = patch('greet')
  const first = installPatches([shared, shared])
  const second = installPatches([patch('greet')])
  first[Symbol.dispose]()
  expect(owner.greet()).toBe('patched')
  second[Symbol.dispose]()
  expect(owner.greet()).toBe('hello')
})

test('named imports are updated once for several lists, also if one of them fails', () => {
  const before = [arch(), endianness()]
  const patched = (): string => 'patched'
  const during: string[] = []
  const installed = updatingImportsOnce(() =>
    (['arch', 'endianness'] as const).map((name) => {
      const list = installPatches([patchFunction(os, name, () => patched)])
      during.push(arch(), os[name]())
      return list
    }),
  )
  expect(during).toEqual([before[0], 'patched', before[0], 'patched'])
  expect([arch(), endianness()]).toEqual(['patched', 'patched'])
  for (const list of installed) list[Symbol.dispose]()
  expect([arch(), endianness()]).toEqual(before)
  let list: Disposable | null = null
  expect(() =>
    updatingImportsOnce(() => {
      list = installPatches([patchFunction(os, 'arch', () => patched)])
      throw new Error('the next list')
    }),
  ).toThrow('the next list')
  expect(arch()).toBe('patched')
  ;(list as Disposable | null)?.[Symbol.dispose]()
  expect(arch()).toBe(before[0])
})
