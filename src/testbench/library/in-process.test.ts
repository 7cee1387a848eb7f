import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../../test/support/local-server.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { verifyTape } from '../../tape/index.ts'
import { record, replay } from './in-process.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.stop())

const curious = async (url: string): Promise<unknown[]> => {
  const seen: unknown[] = [Date.now(), Math.random(), crypto.randomUUID()]
  const answers = await Promise.all(
    [1, 2, 3].map(async (n) => (await (await fetch(`${url}/${n}`)).json()) as { random: number }),
  )
  seen.push(...answers.map((answer) => answer.random))
  await new Promise((resolve) => setTimeout(resolve, 3))
  seen.push(performance.now())
  return seen
}

describe('part of a process', () => {
  test('comes out the same from its tape', async () => {
    const tape = join(tempFolder(), 'run.tape')
    const recorded = await record(tape, () => curious(server.url))
    expect(await verifyTape(tape)).toMatchObject({ ok: true, sealed: true })
    const { value, report } = await replay(tape, () => curious(server.url))
    expect(value).toEqual(recorded)
    expect(report).toMatchObject({ verdict: 'faithful', unused: [], divergences: [] })
  })

  test('has a tape of its own, also when several run at once', async () => {
    const folder = tempFolder()
    const runs = await Promise.all(
      [0, 1, 2].map((n) => record(join(folder, `${n}.tape`), () => curious(server.url))),
    )
    const again = await Promise.all(
      [0, 1, 2].map((n) => replay(join(folder, `${n}.tape`), () => curious(server.url))),
    )
    expect(again.map(({ value }) => value)).toEqual(runs)
  })

  test('leaves everything around it as it was', async () => {
    const properties: [object, PropertyKey][] = [
      [globalThis, 'fetch'],
      [globalThis, 'Date'],
      [globalThis, 'setTimeout'],
      [Math, 'random'],
      [process, 'env'],
      [process, 'hrtime'],
    ]
    const before = properties.map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key))
    const outer = Date.now()
    const tape = join(tempFolder(), 'run.tape')
    await record(tape, async () => Date.now())
    expect(properties.map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key))).toEqual(before)
    expect(Date.now()).toBeGreaterThanOrEqual(outer)
    expect(readFileSync(tape, 'utf8').match(/"kind":"clock_read"/g)).toHaveLength(1)
  })

  test('that asks for something else is an error, even if it swallows it', async () => {
    const tape = join(tempFolder(), 'run.tape')
    await record(tape, async () => (await fetch(`${server.url}/a`)).status)
    await expect(
      replay(tape, async () => (await fetch(`${server.url}/b`).catch(() => ({ status: 200 }))).status),
    ).rejects.toMatchObject({
      code: 'replay-diverged',
    })
    await expect(replay(tape, async () => 200)).rejects.toThrow(/ended before record/)
  })

  test('that waits for what the tape never delivers is told so, and does not hang', async () => {
    const tape = join(tempFolder(), 'run.tape')
    await record(tape, async () => (await fetch(`${server.url}/a`)).status)
    const waiting = replay(tape, async () => {
      await fetch(`${server.url}/a`)
      await new Promise(() => undefined)
    })
    await expect(waiting).rejects.toThrow(/waits for something/)
  })

  test('that fails is an error like any other', async () => {
    const tape = join(tempFolder(), 'run.tape')
    await expect(record(tape, () => Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    expect((await verifyTape(tape)).findings.map(({ code }) => code)).toEqual(['unsealed'])
  })

  test('that fails in its middle gives its own error, not what it left over', async () => {
    const tape = join(tempFolder(), 'run.tape')
    await record(tape, async () => [
      (await fetch(`${server.url}/a`)).status,
      (await fetch(`${server.url}/b`)).status,
    ])
    const failing = replay(tape, async () => {
      await fetch(`${server.url}/a`)
      throw new Error('expected 1 to be 2')
    })
    await expect(failing).rejects.toThrow('expected 1 to be 2')
  })

  test('that differs only in its order is told by the oracle', async () => {
    const tape = join(tempFolder(), 'run.tape')
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
    const both = async (first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void> => {
      await first()
      await second()
    }
    await record(tape, () => both(wait, async () => process.env.HOME))
    expect(
      (await replay(tape, () => both(wait, async () => process.env.HOME), { mode: 'byte_identical' })).report
        .verdict,
    ).toBe('faithful')
    const other = replay(tape, () => both(async () => process.env.HOME, wait), { mode: 'byte_identical' })
    await expect(other).rejects.toMatchObject({ code: 'replay-diverged' })
  })

  test.each<[string, (text: string) => string]>([
    [
      'a changed byte',
      (text) => text.replace('"path":', '"Path":').replace(/\\"random\\":0/, '\\"random\\":9'),
    ],
    ['a missing seal', (text) => text.trimEnd().split('\n').slice(0, -1).join('\n').concat('\n')],
    ['a torn end', (text) => text.slice(0, -20)],
  ])('is not run from a tape with %s', async (_name, damage) => {
    const tape = join(tempFolder(), 'run.tape')
    await record(tape, async () => await (await fetch(`${server.url}/a`)).text())
    const whole = readFileSync(tape, 'utf8')
    expect(damage(whole)).not.toBe(whole)
    writeFileSync(tape, damage(whole))
    let ran = false
    const replayed = replay(tape, () => {
      ran = true
    })
    await expect(replayed).rejects.toMatchObject({ code: 'tape-not-whole' })
    expect(ran).toBe(false)
  })
})
