import { EventEmitter, once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../../test/support/local-server.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { inspectTape, verifyTape } from '../../tape/index.ts'
import type { TestbenchOptions } from './options.ts'
import { testbench } from './testbench.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const newTape = (): string => join(tempFolder(), 'run.tape')
const CAPTURED = ['clock', 'random', 'env', 'network'] as const
const ALL: TestbenchOptions = { clock: 'real', random: 'real', env: 'real', network: 'real' }

const agent = async (): Promise<unknown[]> => {
  const answer = (await (await fetch(`${server.url}/answer`)).json()) as { random: number }
  await new Promise((resolve) => setTimeout(resolve, 2))
  return [Date.now(), Math.random(), performance.now(), process.env.PATH, answer.random]
}

describe('a session with a tape', () => {
  test('records the first time, replays ever after, and gives the report', async () => {
    const tape = newTape()
    const run = async () => {
      await using session = await testbench({ tape, ...ALL }).activate()
      return { mode: session.mode, seen: await agent(), report: await session.close() }
    }
    const first = await run()
    expect(first).toMatchObject({ mode: 'record', report: null })
    expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
    const second = await run()
    expect(second).toMatchObject({ mode: 'replay', seen: first.seen, report: { verdict: 'faithful' } })
  })

  test.each(CAPTURED)('%s alone: the others pass through in both modes', async (boundary) => {
    const tape = newTape()
    const asked = { [boundary]: 'real' } as TestbenchOptions
    {
      await using _session = await testbench({ tape, mode: 'record', ...asked }).activate()
      await agent()
    }
    const kinds = Object.keys(inspectTape(tape).kinds)
    const own = { clock: 'clock_read', random: 'random_read', env: 'env_read', network: 'http_exchange' }
    expect(kinds.filter((kind) => Object.values(own).includes(kind))).toEqual([own[boundary]])
    await using session = await testbench({ tape, mode: 'replay', ...asked }).activate()
    await agent()
    expect((await session.close())?.verdict).toBe('faithful')
  })

  test('replays one boundary of a tape that has all of them', async () => {
    const tape = newTape()
    let random = 0
    {
      await using _session = await testbench({ tape, mode: 'record', ...ALL }).activate()
      random = (await agent())[1] as number
    }
    await using session = await testbench({ tape, random: 'replay' }).activate()
    const seen = await agent()
    expect(seen[1]).toBe(random)
    expect(Math.abs((seen[0] as number) - Date.now())).toBeLessThan(5000)
    expect(await session.close()).toMatchObject({
      verdict: 'faithful',
      unused: [],
      clock_reads: { extra: 0, missing: 0 },
    })
  })

  test('throws at the end of a replay that was not faithful, also if the error was swallowed', async () => {
    const tape = newTape()
    {
      await using _session = await testbench({ tape, network: 'record' }).activate()
      await (await fetch(`${server.url}/one`)).text()
    }
    const session = await testbench({ tape, network: 'replay' }).activate()
    await fetch(`${server.url}/two`).catch(() => undefined)
    await expect(session.close()).rejects.toMatchObject({ code: 'replay-diverged' })
    expect(await session.close()).toMatchObject({ verdict: 'diverged' })
  })

  test.each<[string, () => Promise<unknown>]>([
    ['an answer', () => fetch(`${server.url}/never`)],
    ['a timer', () => new Promise((resolve) => setTimeout(resolve, 60_000))],
  ])(
    'does not let a program wait for ever: %s that never came',
    async (_name, wait) => {
      const tape = newTape()
      {
        const session = await testbench({ tape, mode: 'record', ...ALL }).activate()
        await (await fetch(`${server.url}/one`)).text()
        wait().catch(() => undefined)
        await session.close()
      }
      const session = await testbench({ tape, mode: 'replay', ...ALL }).activate()
      await (await fetch(`${server.url}/one`)).text()
      await wait().catch(() => undefined)
      await expect(session.close()).rejects.toThrow(/waits for .*, which the tape never delivers/)
    },
    10_000,
  )

  test('is not replayed from a tape that is not whole', async () => {
    const tape = newTape()
    {
      await using _session = await testbench({ tape, random: 'record' }).activate()
      Math.random()
    }
    writeFileSync(tape, readFileSync(tape, 'utf8').replace('"text":"0.', '"text":"0.9'))
    await expect(testbench({ tape, random: 'replay' }).activate()).rejects.toMatchObject({
      code: 'tape-not-whole',
    })
  })

  test('refuses a tape that is there, unless it is forced', async () => {
    const tape = newTape()
    const record = async (force: boolean) => {
      await using _session = await testbench({ tape, mode: 'record', random: 'real', force }).activate()
      return Math.random()
    }
    await record(false)
    await expect(record(false)).rejects.toMatchObject({ code: 'out-exists' })
    const before = readFileSync(tape)
    await record(true)
    expect(readFileSync(tape).equals(before)).toBe(false)
  })
})

describe('sources', () => {
  test('a paused clock starts where it is told, and sleeping takes no time', async () => {
    await using _session = await testbench({ clock: { source: 'paused', startAt: 1_000_000 } }).activate()
    expect(Date.now()).toBe(1_000_000)
    await new Promise((resolve) => setTimeout(resolve, 3_600_000))
    expect(Date.now()).toBe(4_600_000)
  })

  test('a seed decides every random value', async () => {
    const draw = async (seed: string) => {
      await using _session = await testbench({ random: { seed } }).activate()
      return [Math.random(), crypto.randomUUID()]
    }
    expect(await draw('a')).toEqual(await draw('a'))
    expect(await draw('a')).not.toEqual(await draw('b'))
  })

  test('a denied network refuses, but for what is allowed', async () => {
    {
      await using _session = await testbench({ network: 'deny' }).activate()
      await expect(fetch(server.url)).rejects.toMatchObject({ cause: { code: 'ENETDENIED' } })
    }
    await using _session = await testbench({ network: { allow: ['127.0.0.0/8'] } }).activate()
    expect((await fetch(server.url)).status).toBe(200)
  })

  test.each([
    ['clock', () => Date.now(), 'Date.now'],
    ['clock', () => setTimeout(() => undefined, 1), 'setTimeout 1'],
    ['random', () => Math.random(), 'Math.random'],
    ['env', () => process.env.HOME, 'process.env HOME'],
    ['env', () => os.hostname(), 'os.hostname'],
  ] as const)('a denied %s throws into the program', async (boundary, use, what) => {
    await using _session = await testbench({ [boundary]: 'deny' }).activate()
    expect(use).toThrow(
      expect.objectContaining({
        code: 'boundary-denied',
        message: `${what} was used, and the boundary ${boundary} is denied`,
      }),
    )
  })
})

describe('several sessions', () => {
  test('the inner one wins, and the outer one goes on', async () => {
    const [outer, inner] = [newTape(), newTape()]
    {
      await using _outer = await testbench({ tape: outer, random: 'record', clock: 'record' }).activate()
      Math.random()
      {
        await using _inner = await testbench({ tape: inner, random: 'record' }).activate()
        Math.random()
        Math.random()
        Date.now()
      }
      Math.random()
    }
    expect(inspectTape(inner).kinds).toMatchObject({ random_read: 2 })
    expect(inspectTape(inner).kinds.clock_read).toBeUndefined()
    expect(inspectTape(outer).kinds).toMatchObject({ random_read: 2, clock_read: 1 })
  })

  test('may end in any order', async () => {
    const outer = await testbench({ random: { seed: 'outer' } }).activate()
    const inner = await testbench({ random: { seed: 'inner' } }).activate()
    await outer.close()
    const still = Math.random()
    await inner.close()
    await using _again = await testbench({ random: { seed: 'inner' } }).activate()
    expect(Math.random()).toBe(still)
  })

  test('have a tape each when they run at once', async () => {
    const folder = tempFolder()
    const owner = async (n: number) => {
      await using _session = await testbench({
        tape: join(folder, `${n}.tape`),
        random: 'record',
        network: 'record',
      }).activate()
      for (let round = 0; round < n; round += 1) {
        await (await fetch(`${server.url}/${n}`)).text()
        Math.random()
      }
    }
    await Promise.all([owner(1), owner(2), owner(3)])
    const counts = [1, 2, 3].map((n) => inspectTape(join(folder, `${n}.tape`)).kinds)
    expect(counts.map(({ random_read, http_exchange }) => [random_read, http_exchange])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  test('what runs beside a session is not in it', async () => {
    const tape = newTape()
    const steps = new EventEmitter()
    const beside = async (): Promise<void> => {
      await once(steps, 'session open')
      Math.random()
      steps.emit('drawn beside')
      await once(steps, 'drawn inside')
      Math.random()
      steps.emit('drawn beside')
    }
    const inside = async (): Promise<void> => {
      await using _session = await testbench({ tape, random: 'record' }).activate()
      for (const step of ['session open', 'drawn inside']) {
        const drawn = once(steps, 'drawn beside')
        steps.emit(step)
        await drawn
        if (step === 'session open') Math.random()
      }
    }
    await Promise.all([beside(), inside()])
    expect(inspectTape(tape).kinds).toMatchObject({ random_read: 1 })
  })

  test('share no connection, also through one agent that keeps them alive', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const get = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        http
          .get(`${server.url}${path}`, { agent }, (response) =>
            response.resume().on('end', () => resolve(path)),
          )
          .on('error', reject)
      })
    await get('/before')
    const folder = tempFolder()
    const owner = async (name: string) => {
      await using _session = await testbench({ tape: join(folder, name), network: 'record' }).activate()
      await get(`/${name}/1`)
      await get(`/${name}/2`)
    }
    await Promise.all([owner('a'), owner('b')])
    await get('/after')
    expect(['a', 'b'].map((name) => inspectTape(join(folder, name)).kinds.http_exchange)).toEqual([2, 2])
    agent.destroy()
  })

  test('of the whole process: code of another context is in it', async () => {
    let wake = (): void => undefined
    const other = new Promise<void>((resolve) => {
      wake = resolve
    }).then(() => Math.random())
    const session = await testbench({ scope: 'process', random: { seed: 'x' } }).activate()
    const own = session.run(() => Math.random())
    wake()
    const theirs = await other
    await session.close()
    await using _again = await testbench({ random: { seed: 'x' } }).activate()
    expect([Math.random(), Math.random()]).toEqual([own, theirs])
  })
})

test('every touched property is exactly as it was, also the global dispatcher of fetch', async () => {
  await fetch(server.url)
  const owners: readonly object[] = [
    globalThis,
    Math,
    Date,
    process,
    os,
    http.Agent.prototype,
    Object.getPrototypeOf(performance),
    Object.getPrototypeOf(crypto),
  ]
  const look = () => owners.map((owner) => Object.getOwnPropertyDescriptors(owner))
  const before = look()
  {
    await using _session = await testbench({
      tape: newTape(),
      ...ALL,
      stdio: 'real',
      process: 'real',
    }).activate()
    await agent()
    expect(look()).not.toEqual(before)
  }
  look().forEach((descriptors, at) => {
    for (const key of Reflect.ownKeys(descriptors)) {
      const [now, then] = [Reflect.get(descriptors, key), Reflect.get(before[at] ?? {}, key)]
      for (const part of ['value', 'get', 'set', 'enumerable', 'configurable', 'writable'])
        expect(now[part], String(key)).toBe(then?.[part])
    }
  })
})

test.each<[TestbenchOptions, RegExp]>([
  [{ clock: 'record' }, /record needs a tape/],
  [{ tape: 'x', mode: 'replay', clock: 'record' }, /either records or replays/],
  [
    { clock: 'stopped' as 'paused' },
    /clock: "stopped"; it takes record, replay, passthrough, deny, real, paused/,
  ],
  [{ random: { mode: 'never' as 'record', seed: 'x' } }, /random: /],
  [{ network: { allow: ['http://x/y'] } }, /network.allow "http:\/\/x\/y"/],
  [{ clock: { source: 'paused', startAt: -1 } }, /startAt/],
  [{ clock: { source: 'real', startAt: 1 } }, /needs source: paused/],
  [{ tape: 'x', mode: 'never' as 'auto' }, /mode "never"/],
])('refuses %j and leaves nothing behind', async (options, message) => {
  const random = Object.getOwnPropertyDescriptor(Math, 'random')
  await expect(testbench(options).activate()).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
  })
  expect(Object.getOwnPropertyDescriptor(Math, 'random')).toEqual(random)
  expect(existsSync('x')).toBe(false)
})
