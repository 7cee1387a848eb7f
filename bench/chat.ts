/**
 * Long chats with a model that streams: each turn sends the whole conversation again. Plain, recorded and
 * replayed; the model is a server in this process, so its processor time is not in the figures.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict } from './measure.ts'
import { startModelServer } from './support/model-server.ts'
import { inMode, type Medians, takeTurns } from './support/process-time.ts'

const WHY_RECORD =
  'Of what 200 recorded turns add, a quarter is V8 optimising code, 8 % garbage collection; the rest describes requests, writes chunks (each event is one) and reads answers.'
const WHY_REPLAY =
  'Of 200 replayed turns, 13 % of the time is garbage collection, 11 % describes requests, 9 % reads answers, 8 % is the start, 3 % makes records of chunks.'

const program = fileURLToPath(new URL('./programs/chat.mjs', import.meta.url))
const withAimock = fileURLToPath(new URL('./programs/chat-aimock.mjs', import.meta.url))
const CHUNKS = 36
const LIVE_MS_PER_CALL = 400
type Modes = Readonly<Record<'plain' | 'record' | 'replay' | 'aimock', Medians>>

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    for (const turns of [20, 200]) await measureInstant(folder, turns)
    await measureSlow(folder)
    await measureLongest(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureInstant(folder: string, turns: number): Promise<void> {
  const server = await startModelServer({ delayMs: 0, chunks: CHUNKS })
  const tape = join(folder, `${turns}.tape`)
  try {
    const before = server.bytes()
    const times = await chats(folder, tape, server.url, turns, 5)
    const cpu = { unit: 'ms of processor time', floor: times.plain.cpuMs }
    verdict(
      `chat of ${turns} turns, instant model: recording against plain`,
      times.record.cpuMs / times.plain.cpuMs,
      1.5,
      'at most',
      { ...cpu, ours: times.record.cpuMs, peers: { aimock: times.aimock.cpuMs }, why: WHY_RECORD },
    )
    verdict(
      `chat of ${turns} turns, instant model: recording, aimock against ours`,
      times.aimock.cpuMs / times.record.cpuMs,
      1,
      'at least',
      { ...cpu, ours: times.record.cpuMs, peers: { aimock: times.aimock.cpuMs }, why: WHY_RECORD },
    )
    const live = turns * LIVE_MS_PER_CALL + times.plain.wallMs
    verdict(
      `chat of ${turns} turns: replay, times faster than live at ${LIVE_MS_PER_CALL} ms a call`,
      live / times.replay.wallMs,
      50,
      'at least',
      { unit: 'ms', ours: times.replay.wallMs, floor: live, why: WHY_REPLAY },
    )
    if (turns !== 200) return
    // Plain, recorded and through aimock: six runs each have sent the same.
    const naive = (server.bytes() - before) / 18
    verdict(
      'tape of a 200-turn chat, share of its requests and answers',
      tapeBytes(tape) / naive,
      1 / 8,
      'at most',
      {
        unit: 'KB',
        ours: tapeBytes(tape) / 1000,
        floor: naive / 1000,
        why: 'Of 2,500 KB, 1,515 are chunks of answers (1,485 their bytes), 560 the calls of the model, 250 the requests.',
      },
    )
  } finally {
    server.stop()
  }
}

async function measureSlow(folder: string): Promise<void> {
  const server = await startModelServer({ delayMs: 50, chunks: CHUNKS })
  try {
    const times = await chats(folder, join(folder, 'slow.tape'), server.url, 200, 3)
    verdict(
      'chat of 200 turns, 50 ms a call: recording against plain, wall',
      times.record.wallMs / times.plain.wallMs,
      1.1,
      'at most',
      { unit: 'ms', ours: times.record.wallMs, floor: times.plain.wallMs, why: WHY_RECORD },
    )
  } finally {
    server.stop()
  }
}

async function measureLongest(folder: string): Promise<void> {
  const server = await startModelServer({ delayMs: 0, chunks: 8 })
  try {
    const times = await chats(folder, join(folder, 'longest.tape'), server.url, 2000, 1)
    for (const mode of ['record', 'replay'] as const)
      verdict(
        `chat of 2,000 turns, instant model: ${mode} against plain`,
        times[mode].cpuMs / times.plain.cpuMs,
        mode === 'replay' ? 1.3 : 1.5,
        'at most',
        {
          unit: 'ms of processor time',
          ours: times[mode].cpuMs,
          floor: times.plain.cpuMs,
          why: mode === 'record' ? WHY_RECORD : WHY_REPLAY,
        },
      )
  } finally {
    server.stop()
  }
}

function chats(folder: string, tape: string, url: string, turns: number, rounds: number): Promise<Modes> {
  const base = { cwd: folder, tape, env: { CHAT_URL: url } }
  const args = [program, String(turns)]
  const before = (): void => {
    for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
  }
  return takeTurns(
    {
      plain: inMode('plain', args, base),
      record: inMode('record', args, { ...base, before }),
      replay: inMode('replay', args, base),
      aimock: inMode('plain', [withAimock, String(turns)], {
        ...base,
        env: { ...base.env, AIMOCK_FOLDER: mkdtempSync(join(folder, 'aimock-')) },
      }),
    },
    rounds,
  )
}

function tapeBytes(tape: string): number {
  let payloads: string[] = []
  try {
    payloads = readdirSync(`${tape}.cas`)
  } catch (error) {
    // A tape without large payloads has no folder for them.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return [tape, ...payloads.map((name) => join(`${tape}.cas`, name))].reduce(
    (sum, path) => sum + statSync(path).size,
    0,
  )
}
