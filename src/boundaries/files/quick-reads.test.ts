import { describe, expect, it } from 'vitest'
import { AS_TEXT, createQuickReads, type ReadCall } from './quick-reads.ts'

const reading = (...args: readonly unknown[]): ReadCall => ({ name: 'readFile', isSimple: true, args })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('quick reads', () => {
  it('tell the value four turns later, in the order of the calls', async () => {
    const { takes } = createQuickReads(([path]) => `content of ${path}`)
    const delivered: unknown[] = []
    expect(takes(reading('a', AS_TEXT), (_, value) => delivered.push(value))).toBe(true)
    await turn()
    expect(takes(reading('b'), (_, value) => delivered.push(value))).toBe(true)
    await turn()
    await turn()
    expect(delivered).toEqual([])
    await turn()
    expect(delivered).toEqual(['content of a'])
    await turn()
    expect(delivered).toEqual(['content of a', 'content of b'])
  })

  it.each<[string, ReadCall]>([
    ['another call', { name: 'stat', isSimple: true, args: ['a'] }],
    ['a call that does more', { name: 'readFile', args: ['a'] }],
    ['a descriptor', reading(3)],
    ['a flag', reading('a', { flag: 'a+' })],
  ])('leave alone: %s', (_, call) => {
    const { takes } = createQuickReads(() => 'read')
    expect(takes(call, () => undefined)).toBe(false)
  })

  it('leave alone what cannot be read, and what `read` does not want', () => {
    const missing = createQuickReads(() => {
      throw new Error('ENOENT')
    })
    expect(missing.takes(reading('a'), () => undefined)).toBe(false)
    expect(createQuickReads(() => null).takes(reading('a'), () => undefined)).toBe(false)
  })

  it('leave what is no small plain file of the disk alone', () => {
    const { takes } = createQuickReads()
    for (const path of ['/', '/nowhere/to/be/found', '/proc/self/status', '/dev/null', process.execPath]) {
      expect(
        takes(reading(path), () => undefined),
        path,
      ).toBe(false)
    }
  })

  it('leave a slow disk alone for a thousand reads', () => {
    let now = 0
    let cost = 1
    const { takes } = createQuickReads(
      () => {
        now += cost
        return 'read'
      },
      () => now,
    )
    const take = (): boolean => takes(reading('a'), () => undefined)
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false])
    for (let n = 0; n < 999; n += 1) expect(take()).toBe(false)
    cost = 0.1
    expect(take()).toBe(true)
  })

  it('take one that is slow now and then for bad luck', () => {
    let now = 0
    let calls = 0
    const { takes } = createQuickReads(
      () => {
        calls += 1
        now += calls % 3 === 0 ? 0.1 : 5
        return 'read'
      },
      () => now,
    )
    for (let n = 0; n < 30; n += 1) expect(takes(reading('a'), () => undefined)).toBe(true)
  })
})
