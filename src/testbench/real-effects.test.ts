/** Work that is done for real in a replay too: handed out when it is its turn *and* the work is done. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { label } from '../base/index.ts'
import type { Effect, Session } from '../boundaries/session.ts'
import { createScrubber } from '../scrub/index.ts'
import { fromReprise } from '../scrub/scrubbed.ts'
import { createHeader, createStreamingRecorder, TapeWriter } from '../tape/index.ts'
import { createRecordSession } from './compose/record-session.ts'
import { createReplaySession } from './compose/replay-session.ts'
import { indexTape } from './tape-index/tape-index.ts'

const WORK = label('offthread')
const turns = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const turn = (left: number): void => void (left === 0 ? resolve() : setImmediate(turn, left - 1))
    turn(count)
  })

/** Starts `a` and `b`; gives them, and the order in which they are told. */
function two(session: Session): { readonly a: Effect; readonly b: Effect; readonly delivered: string[] } {
  const delivered: string[] = []
  const start = (key: string): Effect =>
    session.start(WORK, key, () => void delivered.push(key), { real: true })
  return { a: start('a'), b: start('b'), delivered }
}

/** A tape on which `b` was done before `a`. */
async function tapeWithBFirst(): Promise<string> {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader()))
  const { session } = createRecordSession({
    recorder: createStreamingRecorder(writer),
    scrubber: createScrubber(),
  })
  const { a, b, delivered } = two(session)
  b.arrive({ type: 'completion' })
  a.arrive({ type: 'completion' })
  await turns(6)
  expect(delivered).toEqual(['b', 'a'])
  writer.close()
  return path
}

const replayOf = (path: string) =>
  createReplaySession({ path, index: indexTape(path), scrubber: createScrubber() })

test('is told in the order of the tape, whichever is done first', async () => {
  const replay = replayOf(await tapeWithBFirst())
  const { a, b, delivered } = two(replay.session)
  a.arrive({ type: 'completion' })
  await turns(6)
  expect(delivered).toEqual([])
  b.arrive({ type: 'completion' })
  await turns(6)
  expect(delivered).toEqual(['b', 'a'])
  expect(replay.finish()).toMatchObject({ skipped: [], next: null })
  expect(replay.firstDivergence()).toBeNull()
})

test('is not told once it is closed', async () => {
  const replay = replayOf(await tapeWithBFirst())
  const { a, b, delivered } = two(replay.session)
  b.close()
  a.arrive({ type: 'completion' })
  await turns(8)
  expect(delivered).toEqual(['a'])
})

test('a second word that it is done changes nothing', async () => {
  const replay = replayOf(await tapeWithBFirst())
  const { a, b, delivered } = two(replay.session)
  for (const effect of [b, b, a, a]) effect.arrive({ type: 'completion' })
  await turns(8)
  expect(delivered).toEqual(['b', 'a'])
})

test('more work than the tape has is refused, and kept', async () => {
  const replay = replayOf(await tapeWithBFirst())
  two(replay.session)
  expect(() => replay.session.start(WORK, 'a', () => undefined, { real: true })).toThrow(
    expect.objectContaining({ code: 'replay-diverged' }),
  )
  expect(replay.firstDivergence()).toMatchObject({ category: 'unmatched' })
})
