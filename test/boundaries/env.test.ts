/** `process.env` and the facts of process and machine, in a session. */
import os, { hostname } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { runInSession } from '../../src/boundaries/context.ts'
import { envPatches } from '../../src/boundaries/env/index.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import { names, recordAndReplay, replayingSession } from '../support/fake-session.ts'

const run = <T>(program: () => T | Promise<T>) => recordAndReplay(envPatches(), program)

afterEach(() => {
  for (const name of ['RP_A', 'RP_B', 'RP_C']) delete process.env[name]
})

test('the first read of a name crosses, later ones do not', async () => {
  process.env.RP_A = 'one'
  const { recorded, replayed, crossings, left } = await run(() => [
    process.env.RP_A,
    process.env.RP_A,
    process.env.RP_NONE,
    'RP_A' in process.env,
    'RP_NONE' in process.env,
    Object.hasOwn(process.env, 'RP_A'),
    Object.getOwnPropertyDescriptor(process.env, 'RP_A'),
  ])
  expect(recorded).toEqual([
    'one',
    'one',
    undefined,
    true,
    false,
    true,
    { value: 'one', writable: true, enumerable: true, configurable: true },
  ])
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual(['fact RP_A', 'fact RP_NONE'])
  expect(left).toEqual([])
})

test('a replay gives the recorded value and knows no name that was not read', () => {
  using _patches = installPatches(envPatches())
  process.env.RP_A = 'of today'
  const session = replayingSession([
    { type: 'fact', api: 'process.env', name: '*', value: '{"RP_A":"recorded","RP_C":"only then"}' },
  ])
  runInSession(session, () => {
    expect({ ...process.env }).toEqual({ RP_A: 'recorded', RP_C: 'only then' })
    expect(process.env.PATH).toBeUndefined()
    expect('PATH' in process.env).toBe(false)
    expect(Object.keys(process.env)).toEqual(['RP_A', 'RP_C'])
    expect(inspect(process.env)).toBe("{ RP_A: 'recorded', RP_C: 'only then' }")
    expect(JSON.stringify(process.env)).toBe('{"RP_A":"recorded","RP_C":"only then"}')
  })
  expect(process.env.RP_A).toBe('of today')
})

const spreads: readonly (readonly [name: string, read: () => unknown])[] = [
  ['spread', () => ({ ...process.env })],
  ['Object.keys', () => Object.keys(process.env)],
  ['Object.entries', () => Object.entries(process.env)],
  [
    'for in',
    () =>
      Array.from(
        (function* () {
          for (const name in process.env) yield name
        })(),
      ),
  ],
  ['Reflect.ownKeys', () => Reflect.ownKeys(process.env)],
  ['JSON.stringify', () => JSON.stringify(process.env)],
  ['console.log', () => inspect(process.env)],
  ['structuredClone of a copy', () => structuredClone({ ...process.env })],
]

test.each(spreads)('%s is one read of all names', async (_name, read) => {
  const plain = read()
  const { recorded, replayed, crossings } = await run(() => [
    read(),
    process.env.PATH === undefined,
    process.env.RP_NONE,
  ])
  expect(recorded).toEqual([plain, false, undefined])
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual(['fact *'])
})

test('what the program writes it reads back, as text, and reaches the native object', async () => {
  const { recorded, replayed, crossings } = await run(() => {
    delete process.env.RP_B
    Object.assign(process.env, { RP_A: 5, RP_B: undefined })
    const before = [process.env.RP_A, process.env.RP_B]
    delete process.env.RP_A
    Object.defineProperty(process.env, 'RP_C', {
      value: 'defined',
      writable: true,
      enumerable: true,
      configurable: true,
    })
    return [...before, process.env.RP_A, 'RP_A' in process.env, process.env.RP_C]
  })
  expect(recorded).toEqual(['5', 'undefined', undefined, false, 'defined'])
  expect(replayed).toEqual(recorded)
  expect(crossings).toEqual([])
  expect([process.env.RP_A, process.env.RP_B, process.env.RP_C]).toEqual([undefined, 'undefined', 'defined'])
})

test('writes and deletes show in a later spread', async () => {
  process.env.RP_A = 'a'
  process.env.RP_B = 'b'
  const { recorded, replayed } = await run(() => {
    const first = process.env.RP_B
    delete process.env.RP_A
    process.env.RP_C = 'c'
    const all = { ...process.env }
    process.env.RP_A = 'again'
    return [
      first,
      all.RP_A,
      all.RP_B,
      all.RP_C,
      Object.keys(process.env).filter((name) => name.startsWith('RP_')),
    ]
  })
  expect(recorded).toEqual(['b', undefined, 'b', 'c', ['RP_B', 'RP_C', 'RP_A']])
  expect(replayed).toEqual(recorded)
})

test('a symbol is refused as a value, as plain', async () => {
  const assign = (): unknown => {
    try {
      return Reflect.set(process.env, 'RP_A', Symbol('no'))
    } catch (error) {
      return String(error)
    }
  }
  const plain = assign()
  expect((await run(assign)).recorded).toEqual(plain)
})

test('TZ moves the clock at once', async () => {
  const zone = process.env.TZ
  const { recorded } = await run(() => {
    process.env.TZ = 'Asia/Tokyo'
    const tokyo = new Date(0).getHours()
    process.env.TZ = 'UTC'
    return [tokyo, new Date(0).getHours()]
  })
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
  expect(recorded).toEqual([9, 0])
})

test('methods of every object are there and do not cross', async () => {
  const { recorded, crossings } = await run(() => [
    typeof process.env.toString,
    String(process.env),
    'hasOwnProperty' in process.env,
  ])
  expect(recorded).toEqual(['function', '[object Object]', true])
  expect(crossings).toEqual([])
})

const facts: readonly (readonly [name: string, read: () => unknown, crossings: readonly string[]])[] = [
  ['pid', () => [process.pid, process.pid], ['fact process.pid']],
  ['ppid', () => process.ppid, ['fact process.ppid']],
  ['platform', () => process.platform, ['fact process.platform']],
  ['arch', () => process.arch, ['fact process.arch']],
  ['cwd', () => [process.cwd(), process.cwd()], ['fact process.cwd']],
  ['path.resolve', () => path.resolve('x'), ['fact process.cwd']],
  ['hostname', () => [os.hostname(), hostname(), `${os.hostname}`], ['fact os.hostname']],
  ['userInfo', () => os.userInfo(), ['fact os.userInfo']],
  ['userInfo in buffers', () => os.userInfo({ encoding: 'buffer' }), ['fact os.userInfo']],
  ['cpus', () => os.cpus().length, ['fact os.cpus']],
  ['freemem', () => [os.freemem(), os.freemem()], ['fact os.freemem', 'fact os.freemem']],
  ['loadavg', () => os.loadavg(), ['fact os.loadavg']],
  ['uptime', () => os.uptime(), ['fact os.uptime']],
  ['networkInterfaces', () => os.networkInterfaces(), ['fact os.networkInterfaces']],
  ['tmpdir, homedir', () => [os.tmpdir(), os.homedir()], ['fact os.tmpdir', 'fact os.homedir']],
  [
    'machine',
    () => [os.type(), os.release(), os.version(), os.machine()],
    ['fact os.type', 'fact os.release', 'fact os.version', 'fact os.machine'],
  ],
  ['parallelism', () => os.availableParallelism(), ['fact os.availableParallelism']],
  ['memoryUsage', () => process.memoryUsage(), ['fact process.memoryUsage']],
  ['memoryUsage.rss', () => process.memoryUsage.rss(), ['fact process.memoryUsage.rss']],
  ['cpuUsage', () => process.cpuUsage(), ['fact process.cpuUsage']],
  ['cpuUsage since', () => process.cpuUsage({ user: 1, system: 1 }), ['fact process.cpuUsage']],
  ['resourceUsage', () => process.resourceUsage(), ['fact process.resourceUsage']],
]

test.each(facts)('fact: %s', async (_name, read, expected) => {
  const { recorded, replayed, crossings, left } = await run(read)
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual(expected)
  expect(left).toEqual([])
})

test('facts have the shape of the originals', async () => {
  const shape = (value: unknown): unknown => {
    if (Buffer.isBuffer(value)) return 'Buffer'
    if (typeof value !== 'object' || value === null) return typeof value
    return [
      Object.getPrototypeOf(value) === null,
      Object.entries(value).map(([key, each]) => [key, shape(each)]),
    ]
  }
  const read = (): unknown =>
    shape([
      process.memoryUsage(),
      process.cpuUsage(),
      process.resourceUsage(),
      os.userInfo(),
      os.userInfo({ encoding: 'buffer' }),
      os.cpus(),
    ])
  const plain = read()
  const { recorded, replayed } = await run(read)
  expect(recorded).toEqual(plain)
  expect(replayed).toEqual(plain)
})
