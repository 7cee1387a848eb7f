/**
 * How costs grow: chats with more turns, more chats at the same time, larger bodies, more chunks, longer logs.
 * For each, the exponent of what recording and replaying add to the plain program, and of both whole. 1 is
 * linear in the bytes that the program sends and receives.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict } from './measure.ts'
import { exponent } from './support/exponent.ts'
import { startModelServer } from './support/model-server.ts'
import { inMode, takeTurns } from './support/process-time.ts'

const chat = fileURLToPath(new URL('./programs/chat.mjs', import.meta.url))
const post = fileURLToPath(new URL('./programs/post.mjs', import.meta.url))
const append = fileURLToPath(new URL('./programs/append.mjs', import.meta.url))
const ROUNDS = 3
const MOST = 1.15

type Series = {
  readonly what: string
  readonly sizes: readonly number[]
  /** How much work a size is: bytes where a conversation is sent again and again. */
  readonly work?: (size: number) => number
  readonly chunks?: (size: number) => number
  readonly program: (size: number) => {
    readonly argv: readonly string[]
    readonly env?: Record<string, string>
  }
}

const SERIES: readonly Series[] = [
  {
    what: 'turns of a chat, per byte sent',
    sizes: [50, 200, 800],
    work: (turns) => turns * (turns + 20),
    program: (turns) => ({ argv: [chat, String(turns)] }),
  },
  {
    what: 'chats at the same time',
    sizes: [1, 20, 200],
    program: (chats) => ({ argv: [chat, '5'], env: { CHAT_CONCURRENCY: String(chats) } }),
  },
  {
    what: 'bytes of a body',
    sizes: [1_000, 1_000_000, 10_000_000],
    program: (bytes) => ({ argv: [post, '5', String(bytes)] }),
  },
  {
    what: 'chunks of an answer',
    sizes: [100, 1_000, 10_000],
    chunks: (chunks) => chunks,
    program: () => ({ argv: [chat, '2'] }),
  },
  {
    what: 'lines appended to a file',
    sizes: [500, 2_000, 8_000],
    program: (lines) => ({ argv: [append, String(lines)] }),
  },
  {
    what: 'lines appended by a stream each',
    sizes: [500, 2_000, 8_000],
    program: (lines) => ({ argv: [append, String(lines), 'stream'] }),
  },
]

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    for (const series of SERIES) await measure(folder, series)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, series: Series): Promise<void> {
  const { work = (size: number) => size } = series
  const points: Record<'record' | 'replay', [number, number][]> = { record: [], replay: [] }
  const tape = join(folder, 'run.tape')
  const before = (): void => {
    for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
  }
  for (const size of series.sizes) {
    const server = await startModelServer({ delayMs: 0, chunks: series.chunks?.(size) ?? 8 })
    const { argv, env } = series.program(size)
    const base = { cwd: folder, tape, env: { ...env, CHAT_URL: server.url } }
    try {
      const times = await takeTurns(
        { record: inMode('record', argv, { ...base, before }), replay: inMode('replay', argv, base) },
        ROUNDS,
      )
      for (const mode of ['record', 'replay'] as const) points[mode].push([work(size), times[mode].cpuMs])
    } finally {
      server.stop()
    }
  }
  for (const mode of ['record', 'replay'] as const) {
    console.log(
      `${mode}, ${series.what}: ${points[mode].map(([at, ms]) => `${at}: ${ms.toFixed(0)} ms`).join(', ')}`,
    )
    verdict(`${mode}, ${series.what}: exponent`, exponent(points[mode]), MOST, 'at most')
  }
}
