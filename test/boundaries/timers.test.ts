/** Timers in a session: effects with the manners of Node's own. */
import { once } from 'node:events'
import timers, { setTimeout as namedSetTimeout } from 'node:timers'
import timersPromises, { scheduler, setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { clockPatches } from '../../src/boundaries/clock/index.ts'
import { runInSession } from '../../src/boundaries/context.ts'
import { markEnded } from '../../src/boundaries/ended-session.ts'
import { installPatches } from '../../src/boundaries/patches.ts'
import { names, recordAndReplay, recordingSession, replayingSession } from '../support/fake-session.ts'

const run = <T>(program: () => T | Promise<T>) => recordAndReplay(clockPatches(), program)
const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('timeouts fire in the recorded order, with their arguments and their handle', async () => {
  const { recorded, replayed, crossings, left } = await run(async () => {
    const seen: unknown[] = []
    await new Promise<void>((resolve) => {
      // Far enough apart that a stall of a busy machine between the two calls does not make both due at once.
      setTimeout((a, b) => seen.push(['late', a, b]), 150, 1, 2)
      const timer = namedSetTimeout(function (this: unknown) {
        seen.push(['early', this === timer, timer.constructor.name])
      }, 2)
      setTimeout(resolve, 200)
    })
    return seen
  })
  expect(recorded).toEqual([
    ['early', true, 'Timeout'],
    ['late', 1, 2],
  ])
  expect(replayed).toEqual(recorded)
  expect(names(crossings)).toEqual([
    'start setTimeout 150',
    'start setTimeout 2',
    'start setTimeout 200',
    'deliver 2',
    'deliver 1',
    'deliver 3',
  ])
  expect(left).toEqual([])
})

test('a replay waits for nothing', async () => {
  using _patches = installPatches(clockPatches())
  const session = replayingSession([
    { type: 'start', id: 1, key: 'setTimeout 86400000' },
    { type: 'deliver', id: 1, outcome: { type: 'timer' } },
  ])
  await runInSession(session, () => new Promise((resolve) => setTimeout(resolve, 86_400_000)))
  expect(session.left()).toEqual([])
})

test('an interval arrives again and again until it is cleared', async () => {
  const { recorded, replayed, crossings } = await run(async () => {
    let turns = 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        turns += 1
        if (turns < 3) return
        clearInterval(timer)
        resolve()
      }, 2)
    })
    return turns
  })
  expect([recorded, replayed]).toEqual([3, 3])
  expect(names(crossings)).toEqual(['start setInterval 2', 'deliver 1', 'deliver 1', 'deliver 1'])
})

test('what was cleared does not fire, however it is cleared', async () => {
  const { recorded, replayed, crossings } = await run(async () => {
    const fired: string[] = []
    clearTimeout(setTimeout(() => fired.push('by handle'), 1))
    clearTimeout(+setTimeout(() => fired.push('by number'), 1))
    clearTimeout(`${+setTimeout(() => fired.push('by text'), 1)}`)
    clearInterval(setTimeout(() => fired.push('by clearInterval'), 1))
    setTimeout(() => fired.push('by close'), 1).close()
    setTimeout(() => fired.push('by dispose'), 1)[Symbol.dispose]()
    clearImmediate(setImmediate(() => fired.push('immediate')))
    clearTimeout(undefined)
    clearTimeout(123_456)
    clearImmediate(undefined)
    await wait(5)
    return fired
  })
  expect([recorded, replayed]).toEqual([[], []])
  expect(names(crossings).filter((name) => name.startsWith('deliver'))).toEqual(['deliver 8'])
})

test('a timer that is due but cleared before its turn never reaches the program', async () => {
  const { recorded, replayed } = await run(async () => {
    const fired: string[] = []
    const second = setTimeout(() => fired.push('second'), 2)
    setTimeout(() => {
      fired.push('first')
      clearTimeout(second)
    }, 1)
    const until = performance.now() + 4
    while (performance.now() < until);
    await wait(4)
    return fired
  })
  expect(replayed).toEqual(recorded)
})

test('refresh starts the time anew, also after firing, but not after a clear', async () => {
  const { recorded, replayed, crossings } = await run(async () => {
    const fired: string[] = []
    const again = setTimeout(() => fired.push('again'), 3)
    expect(again.refresh()).toBe(again)
    await wait(8)
    again.refresh()
    await wait(8)
    const cleared = setTimeout(() => fired.push('cleared'), 1)
    clearTimeout(cleared)
    cleared.refresh()
    await wait(4)
    return fired
  })
  expect(recorded).toEqual(['again', 'again'])
  expect(replayed).toEqual(recorded)
  expect(names(crossings).filter((name) => name === 'start setTimeout 3')).toHaveLength(3)
})

test('ref, unref and hasRef are told to the session', () => {
  using _patches = installPatches(clockPatches())
  const session = recordingSession()
  runInSession(session, () => {
    const timer = setTimeout(() => undefined, 1000)
    expect(timer.hasRef()).toBe(true)
    expect(timer.unref()).toBe(timer)
    expect(timer.hasRef()).toBe(false)
    expect(session.open()).toEqual([['setTimeout 1000', false]])
    expect(timer.ref()).toBe(timer)
    expect(session.open()).toEqual([['setTimeout 1000', true]])
    clearTimeout(timer)
    const later = setImmediate(() => undefined)
    expect(later.unref()).toBe(later)
    expect(later.hasRef()).toBe(false)
    expect(session.open()).toEqual([['setImmediate', false]])
    clearImmediate(later)
    expect(session.open()).toEqual([])
  })
})

test('immediates come one after the other, before a timer', async () => {
  const { recorded, replayed } = await run(async () => {
    const seen: string[] = []
    setImmediate((word: string) => seen.push(word), 'a')
    setImmediate(() => seen.push('b'))
    setTimeout(() => seen.push('timer'), 30)
    await immediate()
    seen.push('c')
    await wait(40)
    return seen
  })
  expect(recorded).toEqual(['a', 'b', 'c', 'timer'])
  expect(replayed).toEqual(recorded)
})

test('promised timers: value, abort, interval, scheduler', async () => {
  const { recorded, replayed, left } = await run(async () => {
    const seen: unknown[] = [
      await wait(1, 'value'),
      await promisify(setTimeout)(1, 'promisified'),
      await timersPromises.setImmediate('immediate'),
    ]
    const controller = new AbortController()
    const aborted = wait(10_000, 'never', { signal: controller.signal }).catch((error) => [
      error.name,
      error.code,
      error.message,
      error.cause,
    ])
    controller.abort('enough')
    seen.push(await aborted)
    for await (const turn of timersPromises.setInterval(1, 'turn')) {
      seen.push(turn)
      if (seen.length === 6) break
    }
    await scheduler.wait(1)
    await scheduler.yield()
    return seen
  })
  expect(recorded).toEqual([
    'value',
    'promisified',
    'immediate',
    ['AbortError', 'ABORT_ERR', 'The operation was aborted', 'enough'],
    'turn',
    'turn',
  ])
  expect(replayed).toEqual(recorded)
  expect(left).toEqual([])
})

test('an interval iterator ends with its signal', async () => {
  const { recorded, replayed } = await run(async () => {
    const controller = new AbortController()
    const turns: number[] = []
    try {
      for await (const turn of timersPromises.setInterval(1, 7, { signal: controller.signal })) {
        turns.push(turn)
        if (turns.length === 2) controller.abort()
      }
    } catch (error) {
      return [turns, error instanceof Error && error.name]
    }
    return turns
  })
  expect(recorded).toEqual([[7, 7], 'AbortError'])
  expect(replayed).toEqual(recorded)
})

test('AbortSignal.timeout aborts with the TimeoutError of Node and does not hold the process', async () => {
  const { recorded, replayed, crossings } = await run(async () => {
    const signal = AbortSignal.timeout(2)
    await once(signal, 'abort')
    return [
      signal.aborted,
      signal.reason instanceof DOMException,
      signal.reason.name,
      signal.reason.message,
      signal.reason.code,
    ]
  })
  expect(recorded).toEqual([true, true, 'TimeoutError', 'The operation was aborted due to timeout', 23])
  expect(replayed).toEqual(recorded)
  expect(names(crossings)[0]).toBe('start AbortSignal.timeout 2')
})

test('timers made outside can be cleared inside, and the other way round', async () => {
  let fired = 0
  const real = setTimeout(() => {
    fired += 1
  }, 5)
  const numbered = +setTimeout(() => {
    fired += 1
  }, 5)
  const realImmediate = setImmediate(() => {
    fired += 1
  })
  using _patches = installPatches(clockPatches())
  const session = recordingSession()
  const ours = runInSession(session, () => {
    clearTimeout(real)
    clearTimeout(numbered)
    clearImmediate(realImmediate)
    return setTimeout(() => undefined, 5)
  })
  clearTimeout(ours)
  expect(session.open()).toEqual([])
  await wait(10)
  expect(fired).toBe(0)
})

test('Node flushing its ticks after an exception is not the program', async () => {
  using _patches = installPatches(clockPatches())
  const session = recordingSession()
  await runInSession(session, () => {
    return new Promise<void>((resolve) => {
      timers.setImmediate(function processTicksAndRejections() {
        resolve()
      })
    })
  })
  expect(session.crossings).toEqual([])
})

/** Code whose file has the name of one of Node's: all that the stack shows of undici. */
function ofFile<T>(file: string, source: string): T {
  return vm.runInThisContext(source, { filename: file }) as T
}
const UNDICI = 'node:internal/deps/undici/undici'
type Timers = (done: () => void) => void
const ALL_TIMERS = `(done) => {
  setTimeout(() => setImmediate(() => { const each = setInterval(() => { clearInterval(each); done() }, 1) }), 1)
}`

test('timers of the bundled undici are not recorded, and not refused in a replay', async () => {
  await fetch('data:,')
  using _patches = installPatches(clockPatches())
  const undici = ofFile<Timers>(UNDICI, ALL_TIMERS)
  for (const session of [recordingSession(), replayingSession([])]) {
    await runInSession(session, () => new Promise<void>(undici))
    expect(session.crossings).toEqual([])
  }
  const waits = ofFile<(ms: number) => Promise<void>>(UNDICI, '(ms) => new Promise((r) => setTimeout(r, ms))')
  const session = recordingSession()
  await runInSession(session, () => waits(1))
  expect(names(session.crossings)).toEqual(['start setTimeout 1', 'deliver 1'])
})

test('timers of Node itself are not refused when a replay has ended; those of the program are', async () => {
  using _patches = installPatches(clockPatches())
  const session = replayingSession([])
  markEnded(session)
  const http2 = ofFile<Timers>('node:internal/http2/core', ALL_TIMERS)
  await runInSession(session, () => new Promise<void>(http2))
  expect(session.crossings).toEqual([])
  expect(() => runInSession(session, () => setImmediate(() => undefined))).toThrow()
})
