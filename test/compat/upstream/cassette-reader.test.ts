/** Fizeau's cassette package: the reader, replay, and the record lock (B45 to B63, B86 to B92). */
import { closeSync, existsSync, openSync as openFile, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  acquireRecordLock,
  type CassetteEvent,
  createTerminal,
  open,
  openSync,
} from '../../../src/cassette/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import { recorded, steppingClock } from './recorded-cassette.ts'

const OPTIONS = { clock: steppingClock(100) }
async function cassette() {
  const { out } = await recorded(
    (recorder) => {
      recorder.recordInput({ bytes: Buffer.from('prompt') })
      recorder.recordOutput(Buffer.from('hello\n'))
      const terminal = createTerminal({ rows: 2, cols: 4 })
      recorder.recordFrame(terminal.snapshot())
      terminal.dispose()
      recorder.recordServiceEvent({ type: 'routing' })
    },
    {},
    { clock: steppingClock(100) },
  )
  return await open(out)
}

describe('the reader', () => {
  same('B45', 'Open reads a folder, with options', async () => {
    const { out } = await recorded(undefined, { id: 'one' }, OPTIONS)
    expect((await open(out)).manifest().id).toBe('one')
    expect(openSync(out, {}).manifest().id).toBe('one')
  })
  same('B46', 'Discovery is nil where there is none', async () =>
    expect((await cassette()).discovery()).toBeNull(),
  )
  same('B47', 'Events are sorted by seq, contiguous from 1', async () =>
    expect((await cassette()).events().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]),
  )
  same('B48', 'Final gives the final record', async () =>
    expect((await cassette()).final().exit?.code).toBe(0),
  )
  same('B49', 'Frames is a copy', async () => {
    const reader = await cassette()
    expect(reader.frames()).toHaveLength(1)
    expect(reader.frames()).not.toBe(reader.frames())
  })
  same('B50', 'Inputs is a copy', async () => {
    const reader = await cassette()
    expect(reader.inputs()).toHaveLength(1)
    expect(reader.inputs()).not.toBe(reader.inputs())
  })
  same('B51', 'Manifest gives the manifest', async () =>
    expect((await cassette()).manifest().version).toBe(1),
  )
  same('B52', 'OutputBytes gives the range, or an error', async () => {
    const reader = await cassette()
    const [chunk] = reader.outputChunks()
    if (chunk === undefined) throw new Error('no chunk')
    expect(Buffer.from(reader.outputBytes(chunk)).toString()).toBe('hello\n')
    expect(() => reader.outputBytes({ ...chunk, length: 7 })).toThrow('output chunk out of range seq=2')
  })
  same('B53', 'OutputChunks gives the chunks', async () =>
    expect((await cassette()).outputChunks()).toMatchObject([{ seq: 2, offset: 0, length: 6 }]),
  )
  same('B54', 'Quota is nil where there is none', async () => expect((await cassette()).quota()).toBeNull())
  differs('B55', 'RawOutput is a copy', async () => {
    const reader = await cassette()
    expect(reader.rawOutput()).toBe(reader.rawOutput())
    expect(Buffer.from(reader.rawOutput()).toString()).toBe('hello\n')
  })
  superset('B56', 'Replay gives every event to the sink', async () => {
    const kinds: string[] = []
    const reader = await cassette()
    await reader.replay({ mode: 'collapsed' }, ({ kind }) => void kinds.push(kind))
    expect(kinds).toEqual(['input', 'output', 'frame', 'service-event', 'final'])
    await expect(
      reader.replay({ mode: 'collapsed', signal: AbortSignal.abort() }, () => undefined),
    ).rejects.toMatchObject({
      code: 'cassette-replay-cancelled',
    })
  })
  same('B57', 'ScrubReport gives the report', async () =>
    expect((await cassette()).scrubReport().status).toBe('clean'),
  )
  same('B58', 'ServiceEvents gives the payloads', async () =>
    expect((await cassette()).serviceEvents()).toMatchObject([{ seq: 4, payload: { type: 'routing' } }]),
  )
})

const ACCOUNT = 'claude:someone@example.com'

describe('the record lock', () => {
  same('B59', 'a held lock fails at once', () => {
    const root = tempFolder()
    using _ = acquireRecordLock(root, ACCOUNT)
    expect(() => acquireRecordLock(root, ACCOUNT)).toThrow('already held')
  })
  same('B60', 'the path is <root>/locks/<sha256(account)>.lock, "" is default', () => {
    const root = tempFolder()
    using lock = acquireRecordLock(root, '')
    expect(lock.path).toBe(
      join(root, 'locks', '37a8eec1ce19687d132fe29051dca629d164e2c4958ba141d5f4133a33f0688f.lock'),
    )
  })
  differs('B61', 'the lock holds account=<account>', () => {
    using lock = acquireRecordLock(tempFolder(), ACCOUNT)
    const text = readFileSync(lock.path, 'utf8')
    expect(JSON.parse(text)).toMatchObject({ pid: process.pid })
    expect(text).not.toContain('someone')
  })
  same('B62', 'a lock that the other program holds is respected', () => {
    const root = tempFolder()
    const { path, release } = acquireRecordLock(root, ACCOUNT)
    release()
    const descriptor = openFile(path, 'wx')
    writeSync(descriptor, `account=${ACCOUNT}\n`)
    expect(() => acquireRecordLock(root, ACCOUNT)).toThrow('already held')
    closeSync(descriptor)
    acquireRecordLock(root, ACCOUNT).release()
  })
  superset('B63', 'Release removes the lock', () => {
    const lock = acquireRecordLock(tempFolder(), ACCOUNT)
    lock.release()
    lock.release()
    expect(existsSync(lock.path)).toBe(false)
  })
})

/** What a replay waits for, with a sleeper of the test's own. */
async function waits(
  options: Parameters<Awaited<ReturnType<typeof cassette>>['replay']>[0],
): Promise<readonly number[]> {
  const delays: number[] = []
  const reader = await cassette()
  await reader.replay({ ...options, sleeper: async (delayMs) => void delays.push(delayMs) }, () => undefined)
  return delays
}

describe('replay', () => {
  same('B86', 'the modes are realtime, scaled, collapsed', async () => {
    expect(await waits({ mode: 'realtime' })).toEqual([100, 100, 100, 200])
    expect(await waits({ mode: 'scaled', scale: 2 })).toEqual([200, 200, 200, 400])
    expect(await waits({ mode: 'collapsed' })).toEqual([])
  })
  same('B87', 'the mode is the option, else the manifest, else collapsed', async () => {
    expect(await waits({})).toEqual([])
    const { out } = await recorded(
      (recorder) => void recorder.recordServiceEvent({}),
      { timing: { replayDefault: 'realtime' } },
      OPTIONS,
    )
    const delays: number[] = []
    await (await open(out)).replay({ sleeper: async (delayMs) => void delays.push(delayMs) }, () => undefined)
    expect(delays.length).toBe(1)
  })
  differs('B88', 'scale 0 counts as 1', async () => {
    await expect(waits({ mode: 'scaled', scale: 0 })).rejects.toMatchObject({ code: 'cassette-replay-scale' })
    expect(await waits({ mode: 'scaled' })).toEqual([100, 100, 100, 200])
  })
  same('B89', 'an error of the sleeper is returned unchanged', async () => {
    const error = new Error('mine')
    const reader = await cassette()
    await expect(
      reader.replay({ mode: 'realtime', sleeper: () => Promise.reject(error) }, () => undefined),
    ).rejects.toBe(error)
  })
  same('B90', 'an error of the sink is returned unchanged', async () => {
    const error = new Error('mine')
    const reader = await cassette()
    await expect(reader.replay({}, () => Promise.reject(error))).rejects.toBe(error)
  })
  differs('B91', 'an unknown mode acts as realtime', async () => {
    const { out } = await recorded(undefined, { timing: { replayDefault: 'warp' } }, OPTIONS)
    await expect((await open(out)).replay({}, () => undefined)).rejects.toMatchObject({
      code: 'cassette-replay-mode',
    })
  })
  same('B92', 'the first event is never delayed', async () => {
    const { out } = await recorded(undefined, {}, { clock: steppingClock(5000) })
    const seen: CassetteEvent[] = []
    const sleeper = () => Promise.reject(new Error('it waits'))
    await (await open(out)).replay({ mode: 'realtime', sleeper }, (event) => void seen.push(event))
    expect(seen).toHaveLength(1)
    expect(seen[0]?.tMs).toBeGreaterThan(0)
  })
})
