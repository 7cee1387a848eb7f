import { describe, expect, test } from 'vitest'
import { fromReprise } from '../scrub/scrubbed.ts'
import {
  activeRecorder,
  enterPhase,
  installRecorder,
  runWithRecorder,
  withActiveRecorder,
} from './active-recorder.ts'
import { createHeader } from './header.ts'
import { createTapeRecorder } from './recorder.ts'
import type { TapeRecorder } from './tape-recorder.ts'

describe('the active recorder', () => {
  test('is none outside a guard, and the builder is then not called', () => {
    let called = false
    withActiveRecorder(() => {
      called = true
      return null
    })
    expect(called).toBe(false)
    expect(activeRecorder()).toBeNull()
    expect(enterPhase('runtime_finalize')).toBeNull()
  })

  test('is restored by nested guards', () => {
    const [outer, inner] = [createTapeRecorder(), createTapeRecorder()]
    {
      using _outer = installRecorder(outer)
      {
        using _inner = installRecorder(inner)
        expect(activeRecorder()).toBe(inner)
      }
      expect(activeRecorder()).toBe(outer)
    }
    expect(activeRecorder()).toBeNull()
  })

  test('is restored whatever the order of disposal', () => {
    const [first, second] = [createTapeRecorder(), createTapeRecorder()]
    const firstGuard = installRecorder(first)
    const secondGuard = installRecorder(second)
    firstGuard[Symbol.dispose]()
    expect(activeRecorder()).toBe(second)
    secondGuard[Symbol.dispose]()
    expect(activeRecorder()).toBeNull()
  })

  test('follows await, timers and parallel contexts, one each', async () => {
    const recorders = Array.from({ length: 20 }, () => createTapeRecorder())
    await Promise.all(
      recorders.map(async (recorder, at) => {
        using _guard = installRecorder(recorder)
        for (let turn = 0; turn < 5; turn += 1) {
          await (at % 2 === 0 ? null : new Promise((resolve) => setImmediate(resolve)))
          expect(activeRecorder()).toBe(recorder)
          withActiveRecorder(() => ({ kind: 'clock_sleep', durationMs: at }))
        }
      }),
    )
    expect(activeRecorder()).toBeNull()
    for (const [at, recorder] of recorders.entries())
      expect(durations(recorder)).toEqual([at, at, at, at, at])
  })

  test('stays inside runWithRecorder, also for what starts beside it', async () => {
    const recorder = createTapeRecorder()
    const inside = runWithRecorder(recorder, async () => {
      await null
      return activeRecorder()
    })
    expect(activeRecorder()).toBeNull()
    expect(await inside).toBe(recorder)
  })
})

describe('a recorder', () => {
  test('numbers records without gaps under concurrency', async () => {
    const recorder = createTapeRecorder()
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        await new Promise((resolve) =>
          at % 3 === 0 ? setImmediate(resolve) : queueMicrotask(() => resolve(null)),
        )
        recorder.record({ kind: 'clock_sleep', durationMs: at })
      }),
    )
    expect(snapshot(recorder).map((record) => record.seq)).toEqual(Array.from({ length: 100 }, (_, at) => at))
  })

  test('stamps the time of its injected clock, never before zero', () => {
    const times = [100.9, 350.2, 90]
    const recorder = createTapeRecorder({ now: () => 1767225600000.7, monotonicMs: () => times.shift() ?? 0 })
    recorder.record({ kind: 'clock_sleep', durationMs: 1 })
    recorder.record({ kind: 'clock_sleep', durationMs: 1 })
    expect(snapshot(recorder).map(({ virtualTimeMs, monotonicMs }) => [virtualTimeMs, monotonicMs])).toEqual([
      [1767225600000, 249],
      [1767225600000, 0],
    ])
  })

  test('stamps the phase of the async context that records', async () => {
    const recorder = createTapeRecorder()
    await runWithRecorder(recorder, async () => {
      withActiveRecorder(() => ({ kind: 'clock_sleep', durationMs: 0 }))
      {
        using _phase = enterPhase('runtime_finalize')
        await null
        withActiveRecorder(() => ({ kind: 'clock_sleep', durationMs: 1 }))
      }
      withActiveRecorder(() => ({ kind: 'clock_sleep', durationMs: 2 }))
    })
    expect(snapshot(recorder).map((record) => record.phase)).toEqual([
      'user_script',
      'runtime_finalize',
      'user_script',
    ])
  })

  test('says how many secrets were replaced, only where some were', () => {
    const recorder = createTapeRecorder()
    recorder.record({ kind: 'clock_sleep', durationMs: 1 }, 2)
    recorder.record({ kind: 'clock_sleep', durationMs: 1 })
    expect(snapshot(recorder).map((record) => record.scrubbed)).toEqual([2, undefined])
  })
})

function durations(recorder: TapeRecorder): number[] {
  return snapshot(recorder).map(({ kind }) => (kind.kind === 'clock_sleep' ? kind.durationMs : -1))
}

function snapshot(recorder: TapeRecorder) {
  return recorder.snapshot(fromReprise(createHeader())).records
}
