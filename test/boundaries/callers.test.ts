/**
 * Whose call it is: Node's bundled undici reads the clock too, Node's own modules read variables, and
 * programs change how stacks are made.
 */
import { execFileSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { callersOf } from '../../src/boundaries/caller.ts'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { runInSession } from '../../src/boundaries/context.ts'
import { envPatches } from '../../src/boundaries/env/index.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import { names, recordingSession } from '../support/fake-session.ts'

const original = {
  limit: Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'),
  prepare: Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace'),
}

afterEach(() => {
  for (const [key, descriptor] of [
    ['stackTraceLimit', original.limit] as const,
    ['prepareStackTrace', original.prepare] as const,
  ]) {
    if (descriptor === undefined) Reflect.deleteProperty(Error, key)
    else Object.defineProperty(Error, key, descriptor)
  }
})

async function readsOfFetch(): Promise<string[]> {
  using _patches = installPatches(clockPatches())
  const session = recordingSession()
  await runInSession(session, async () => {
    expect(await (await fetch('data:,body')).text()).toBe('body')
  })
  return names(session.crossings).filter((name) => name.startsWith('clock'))
}

test('clock reads of undici are left out', async () => {
  // Loads it, so that it has the patched clock below.
  await fetch('data:,')
  expect(await readsOfFetch()).toEqual([])
})

test('the reads of the program itself stay', async () => {
  using _patches = installPatches(clockPatches())
  const session = recordingSession()
  runInSession(session, () => {
    return [
      Date.now(),
      new Date(),
      Date(),
      performance.now(),
      performance.timeOrigin,
      process.hrtime(),
      process.hrtime.bigint(),
      performance.mark('m'),
    ]
  })
  expect(session.crossings).toHaveLength(8)
})

const changes: readonly (readonly [name: string, change: () => void])[] = [
  ['as it is', () => undefined],
  ['stackTraceLimit 0', () => void Object.assign(Error, { stackTraceLimit: 0 })],
  ['stackTraceLimit deleted', () => void Reflect.deleteProperty(Error, 'stackTraceLimit')],
  ['stackTraceLimit a text', () => void Object.assign(Error, { stackTraceLimit: 'many' })],
  ['prepareStackTrace of its own', () => void Object.assign(Error, { prepareStackTrace: () => 'mine' })],
  [
    'prepareStackTrace that throws',
    () =>
      void Object.assign(Error, {
        prepareStackTrace: () => {
          throw new Error('no stack for you')
        },
      }),
  ],
  [
    'prepareStackTrace behind a getter',
    () =>
      void Object.defineProperty(Error, 'prepareStackTrace', { get: () => undefined, configurable: true }),
  ],
]

test.each(changes)('the caller is told, and Error is left, with %s', (_name, change) => {
  change()
  const before = [
    Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'),
    Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace'),
  ]
  const callee = (): readonly string[] => callersOf(callee, 1)
  const [file] = callee()
  expect(file).toContain('callers.test.ts')
  expect([
    Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'),
    Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace'),
  ]).toEqual(before)
})

test.each([
  ['finds callers in a plain stack', '', /^\["file:.*\[eval1\]"\]\n$/],
  ['finds no callers if the program formats stacks too', 'Error.prepareStackTrace = () => 1', /^\[\]\n$/],
])('an Error that cannot be changed: %s', (_what, before, expected) => {
  const source = `
    const { callersOf } = await import(process.argv[1])
    ${before}
    Object.freeze(Error)
    const callee = () => callersOf(callee, 1)
    console.log(JSON.stringify(callee()))
  `
  const module = new URL('../../dist/boundaries/caller.js', import.meta.url).href
  expect(
    execFileSync(process.execPath, ['--input-type=module', '-e', source, module], { encoding: 'utf8' }),
  ).toMatch(expected)
})

test('the environment that Node copies for a child is no read of the program', () => {
  using _patches = installPatches(envPatches())
  const session = recordingSession()
  const output = runInSession(session, () =>
    execFileSync(process.execPath, ['-p', 'typeof process.env.PATH'], { encoding: 'utf8' }),
  )
  expect(output).toBe('string\n')
  expect(names(session.crossings).filter((name) => !name.startsWith('fact process.'))).toEqual([])
})

test('what Node loads for a program is no read of it either', async () => {
  using _patches = installPatches(envPatches())
  const session = recordingSession()
  await runInSession(session, async () => {
    await import('node:readline')
    process.emitWarning('in a session', { type: 'Test' })
  })
  expect(names(session.crossings)).toEqual([])
})
