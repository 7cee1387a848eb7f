import { expect, test } from 'vitest'
import { playWithKeys } from './cassette-player.ts'

const chunks = [0, 1000, 2000, 9000, 20_000].map((tMs) => ({ tMs, bytes: Buffer.from(`<${tMs}>`) }))

/**
 * Plays with a clock that a script moves: before the n-th wait ends, the keys of the n-th entry are pressed.
 */
async function played(script: readonly (string | null)[], factor = 1) {
  let [written, now, waits] = ['', 0, 0]
  let press: (keys: string) => void = () => undefined
  const end = await playWithKeys(chunks, factor, {
    write: async (bytes) => {
      written += Buffer.from(bytes).toString()
    },
    rewind: async () => {
      written += '|'
    },
    sleep: async (delayMs, signal) => {
      const keys = script[waits] ?? null
      waits += 1
      if (keys === null) now += delayMs
      else press(keys)
      expect(signal.aborted).toBe(keys !== null)
    },
    nowMs: () => now,
    onKeys: (listener) => {
      press = listener
      return { [Symbol.dispose]: () => undefined }
    },
  })
  return { end, written, now, waits }
}

test('plays to the end, with the recorded pauses', async () => {
  expect(await played([])).toMatchObject({ end: 'end', written: '<0><1000><2000><9000><20000>', now: 20_000 })
  expect(await played([], 0.5)).toMatchObject({ now: 10_000 })
  expect(await played([], 0)).toMatchObject({ written: '<0><1000><2000><9000><20000>', waits: 0 })
})

test('q and Ctrl-C end it', async () => {
  expect(await played([null, 'q'])).toMatchObject({ end: 'quit', written: '<0><1000>' })
  expect(await played(['\u0003'])).toMatchObject({ end: 'quit', written: '<0>' })
})

test('space pauses until the next space', async () => {
  expect(await played([' ', ' '])).toMatchObject({ end: 'end', written: '<0><1000><2000><9000><20000>' })
  expect(await played([' ', 'q'])).toMatchObject({ end: 'quit', written: '<0>' })
})

test('the arrows go forward and back', async () => {
  expect(await played(['\u001b[C', 'q'])).toMatchObject({ written: '<0><1000><2000>' })
  expect(await played([null, null, null, '\u001b[D', 'q'])).toMatchObject({
    written: '<0><1000><2000><9000>|<0><1000><2000>',
  })
})
