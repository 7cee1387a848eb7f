import { expect, test } from 'vitest'
import type { CassetteEvent } from '../codec/records.ts'
import { type ReplayMode, type ReplayOptions, replayEvents } from './replay.ts'

const events: CassetteEvent[] = [500, 500, 700, 1700].map((tMs, at) => ({
  seq: at + 1,
  tMs,
  kind: 'output',
  output: { seq: at + 1, tMs, offset: 0, length: 0, sha256: '' },
}))

async function waits(
  options: ReplayOptions,
  replayDefault = '',
): Promise<{ slept: number[]; seen: number[] }> {
  const slept: number[] = []
  const seen: number[] = []
  const sleeper = async (ms: number): Promise<void> => void slept.push(ms)
  await replayEvents(events, replayDefault, { sleeper, ...options }, (event) => void seen.push(event.seq))
  return { slept, seen }
}

test.each<[string, ReplayOptions, string, number[]]>([
  ['collapsed waits for nothing', { mode: 'collapsed' }, 'realtime', []],
  ['realtime waits the gaps, but not before the first event', { mode: 'realtime' }, '', [200, 1000]],
  ['scaled waits the gaps times the scale', { mode: 'scaled', scale: 0.5 }, '', [100, 500]],
  ['scale is for scaled only', { mode: 'realtime', scale: 3 }, '', [200, 1000]],
  ['the default is what the manifest says', {}, 'realtime', [200, 1000]],
  ['else collapsed', {}, '', []],
])('%s', async (_, options, replayDefault, expected) => {
  expect(await waits(options, replayDefault)).toEqual({ slept: expected, seen: [1, 2, 3, 4] })
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('the scale %d is refused', async (scale) => {
  await expect(waits({ mode: 'scaled', scale })).rejects.toMatchObject({ code: 'cassette-replay-scale' })
})

test('an unknown mode is refused, from a caller and from a manifest', async () => {
  await expect(waits({ mode: 'fast' as ReplayMode })).rejects.toMatchObject({ code: 'cassette-replay-mode' })
  await expect(waits({}, 'warp')).rejects.toMatchObject({ code: 'cassette-replay-mode' })
})

test.each<ReplayMode>(['collapsed', 'realtime', 'scaled'])(
  '%s ends at the event where it is cancelled',
  async (mode) => {
    const controller = new AbortController()
    const seen: number[] = []
    const run = replayEvents(
      events,
      '',
      { mode, signal: controller.signal, sleeper: async () => undefined },
      (event) => {
        seen.push(event.seq)
        if (event.seq === 2) controller.abort()
      },
    )
    await expect(run).rejects.toMatchObject({ code: 'cassette-replay-cancelled' })
    expect(seen).toEqual([1, 2])
  },
)

test('a cancelled wait does not last', async () => {
  const controller = new AbortController()
  const late = [0, 3_600_000_000].map(
    (tMs, at): CassetteEvent => ({ ...(events[0] as CassetteEvent), seq: at + 1, tMs }),
  )
  const run = replayEvents(
    late,
    '',
    { mode: 'realtime', signal: controller.signal },
    () => void setImmediate(() => controller.abort()),
  )
  await expect(run).rejects.toMatchObject({ code: 'cassette-replay-cancelled' })
})

test('collapsed gives other work a turn, so a long replay can be cancelled from outside', async () => {
  const controller = new AbortController()
  const many = Array.from(
    { length: 5000 },
    (_, at): CassetteEvent => ({ ...(events[0] as CassetteEvent), seq: at + 1 }),
  )
  setImmediate(() => controller.abort())
  const seen: number[] = []
  await expect(
    replayEvents(many, '', { signal: controller.signal }, (event) => void seen.push(event.seq)),
  ).rejects.toMatchObject({
    code: 'cassette-replay-cancelled',
  })
  expect(seen.length).toBeLessThan(5000)
})

test('what the sink throws ends the replay unchanged', async () => {
  const reason = new Error('full')
  await expect(replayEvents(events, '', {}, () => Promise.reject(reason))).rejects.toBe(reason)
})
