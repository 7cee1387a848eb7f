/** A program that drives a terminal gets the cassette instead of a child. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CassetteReader,
  createRecorder,
  createStandInPty,
  open,
  type StandInPty,
} from '../../src/cassette/index.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function dialogue(
  exit = { code: 3, signal: '', exited: true, signaled: false },
): Promise<CassetteReader> {
  const recorder = createRecorder(
    join(tempFolder(), 'c'),
    { command: { argv: ['shell'] } },
    { scrubber: createScrubber({ env: { LOGIN_TOKEN: 'hunter-2-and-more' } }) },
  )
  recorder.recordOutput(Buffer.from('> '))
  recorder.recordInput({ bytes: Buffer.from('ls') })
  recorder.recordInput({ bytes: Buffer.from('\x1b[1;3R'), reply: true })
  recorder.recordInput({ bytes: Buffer.from('\r') })
  recorder.recordOutput(Buffer.from('file €').subarray(0, 6))
  recorder.recordOutput(Buffer.from('file €').subarray(6))
  recorder.recordInput({ kind: 'resize', size: { rows: 30, cols: 100 } })
  recorder.recordInput({ bytes: Buffer.from('hunter-2-and-more\r') })
  recorder.recordOutput(Buffer.from('bye'))
  recorder.recordFinal({ exit })
  return open(await recorder.close())
}

/** Lets the recording play until it waits for this input. It plays one event per turn of the event loop. */
async function untilItWaitsFor(pty: StandInPty, input: string): Promise<void> {
  while (pty.waitingFor !== input) await new Promise((resolve) => setImmediate(resolve))
}

describe('the stand-in', () => {
  test('says what was recorded when it is told what was recorded, however the writes are cut', async () => {
    const pty = createStandInPty(await dialogue())
    const said: string[] = []
    const ends: unknown[] = []
    pty.onData((data) => void said.push(String(data)))
    pty.onExit((end) => void ends.push(end))
    await untilItWaitsFor(pty, '"ls" typed')
    expect(said.join('')).toBe('> ')
    pty.write('l')
    pty.write('s\r')
    await untilItWaitsFor(pty, 'a resize to 30x100')
    expect(said.join('')).toBe('> file €')
    pty.resize(100, 30)
    pty.write('another-secret-xx\r')
    expect(await pty.done).toEqual([])
    expect([said.join(''), ends, pty.cols, pty.rows]).toEqual(['> file €bye', [{ exitCode: 3 }], 100, 30])
  })

  test('types ahead: input that comes early counts when it is due', async () => {
    const pty = createStandInPty(await dialogue(), { encoding: null })
    pty.write(Buffer.from('ls\r'))
    await untilItWaitsFor(pty, 'a resize to 30x100')
    pty.resize(100, 30)
    pty.write('*****************\r')
    expect(await pty.done).toEqual([])
  })

  test('a different input is thrown, kept, and ends the session', async () => {
    const pty = createStandInPty(await dialogue())
    await untilItWaitsFor(pty, '"ls" typed')
    expect(() => pty.write('rm')).toThrow(expect.objectContaining({ code: 'cassette-input-differs' }))
    expect((await pty.done).map((finding) => finding.message)).toEqual([
      'the program typed "rm", the recording has "ls" here',
    ])
  })

  test('a different size is a finding too', async () => {
    const pty = createStandInPty(await dialogue())
    await untilItWaitsFor(pty, '"ls" typed')
    pty.write('ls\r')
    await untilItWaitsFor(pty, 'a resize to 30x100')
    expect(() => pty.resize(90, 30)).toThrow(/resized to 30x90, the recording has a resize to 30x100/)
  })

  test('an end by a signal is told as node-pty tells it', async () => {
    const recorder = createRecorder(join(tempFolder(), 'c'))
    recorder.recordFinal({ exit: { code: -1, signal: 'killed', exited: false, signaled: true } })
    const pty = createStandInPty(await open(await recorder.close()))
    const ends: unknown[] = []
    pty.onExit((end) => void ends.push(end))
    await pty.done
    expect(ends).toEqual([{ exitCode: 0, signal: 9 }])
  })

  test('waits the recorded gaps when asked to', async () => {
    let elapsed = 0
    const recorder = createRecorder(
      join(tempFolder(), 'c'),
      {},
      { clock: { now: () => 0, elapsed: () => elapsed } },
    )
    recorder.recordOutput(Buffer.from('a'))
    elapsed = 500
    recorder.recordOutput(Buffer.from('b'))
    recorder.recordFinal()
    const slept: number[] = []
    const reader = await open(await recorder.close())
    await createStandInPty(reader, { mode: 'scaled', scale: 0.5, sleeper: async (ms) => void slept.push(ms) })
      .done
    expect(slept).toEqual([250])
  })
})
