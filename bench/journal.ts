/**
 * The session journal: folding against parsing, appending against the bare file, group commit against one
 * sync per record, and the memory that reading a gigabyte takes. The events are what an agent's session is
 * made of; scrubbing is on.
 *
 * The floor of appending is the least that a program can do with as many appends under way: `JSON.stringify`
 * and one `FileHandle.write` per record.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal, rebuildOsSnapshot, type SessionEvent } from '../src/journal/index.ts'
import { alternate, verdict } from './measure.ts'

const IN_FLIGHT = 64
const GIGABYTE = 1_000_000_000

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-journal-'))
  try {
    await benchFold()
    await benchAppend(folder)
    await benchSync(folder)
    benchRead(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function benchFold(): Promise<void> {
  const lines = Array.from({ length: 5000 }, (_, n) => JSON.stringify(eventOf(n)))
  const events: SessionEvent[] = lines.map((line) => JSON.parse(line))
  const times = await alternate(
    [
      {
        name: 'parse',
        run() {
          for (const line of lines) JSON.parse(line)
        },
      },
      { name: 'fold', run: () => void rebuildOsSnapshot(events) },
    ],
    60,
  )
  verdict('fold, against JSON.parse of the same lines', ratio(times, 'parse', 'fold'), 2, 'at least')
}

async function benchAppend(folder: string): Promise<void> {
  const records = 4000
  await using journal = await openJournal({ dir: folder, session: 'unsynced' })
  const handle = await open(join(folder, 'floor.jsonl'), 'a')
  const plain = openSync(join(folder, 'sync-floor.jsonl'), 'a')
  const times = await alternate(
    [
      { name: 'journal', run: () => inFlight(records, (n) => journal.append(eventOf(n))) },
      { name: 'handle', run: () => inFlight(records, (n) => writeLine(handle, n)) },
      {
        name: 'writeSync',
        run() {
          for (let n = 0; n < records; n += 1)
            writeSync(plain, `${JSON.stringify({ seq: n, event: eventOf(n) })}\n`)
        },
      },
    ],
    15,
  )
  await handle.close()
  closeSync(plain)
  const perSecond = (name: string): string =>
    `${Math.round((records * 1000) / (times.get(name) ?? Number.NaN))}/s`
  verdict(
    `append, ${IN_FLIGHT} under way, unsynced, against the floor`,
    ratio(times, 'handle', 'journal'),
    0.7,
    'at least',
  )
  console.log(
    `  journal ${perSecond('journal')}, FileHandle.write ${perSecond('handle')}; a bare writeSync per record, unscrubbed: ${perSecond('writeSync')}`,
  )
}

async function benchSync(folder: string): Promise<void> {
  const records = 640
  await using journal = await openJournal({
    dir: folder,
    session: 'synced',
    durability: 'fsync',
    checkpointEvery: 0,
  })
  const handle = await open(join(folder, 'fsync-floor.jsonl'), 'a')
  const times = await alternate(
    [
      { name: 'journal', run: () => inFlight(records, (n) => journal.append(eventOf(n))) },
      {
        name: 'each',
        async run() {
          for (let n = 0; n < records / 10; n += 1) {
            await writeLine(handle, n)
            await handle.sync()
          }
        },
      },
    ],
    11,
  )
  await handle.close()
  verdict(
    'group-committed fsync, against one fsync per record',
    10 * ratio(times, 'each', 'journal'),
    10,
    'at least',
  )
}

/**
 * A gigabyte is read by a process of its own, by what `reprise audit` does, and its highest resident size is
 * asked from the operating system.
 */
function benchRead(folder: string): void {
  const path = join(folder, 'large.jsonl')
  const file = openSync(path, 'w')
  let bytes = 0
  for (let seq = 0; bytes < GIGABYTE; ) {
    let text = ''
    for (let n = 0; n < 2000; n += 1, seq += 1) text += `${JSON.stringify({ seq, event: eventOf(seq) })}\n`
    bytes += writeSync(file, text)
  }
  closeSync(file)
  const main = new URL('../dist/cli/main.js', import.meta.url).href
  const code = `
    const { main } = await import(${JSON.stringify(main)})
    const began = performance.now()
    await main(['audit', ${JSON.stringify(path)}])
    process.stderr.write(JSON.stringify({ rss: process.resourceUsage().maxRSS / 1024, seconds: (performance.now() - began) / 1000 }))`
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`reading the large journal failed: ${stderr}`)
  const { rss, seconds } = JSON.parse(stderr)
  verdict(`reading a journal of ${(bytes / GIGABYTE).toFixed(2)} GB: resident MB`, rss, 200, 'at most')
  console.log(`  in ${seconds.toFixed(1)} s, with the extended view`)
}

async function inFlight(records: number, append: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < records) {
      next += 1
      await append(next)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}

function writeLine(handle: FileHandle, n: number): Promise<unknown> {
  return handle.write(`${JSON.stringify({ seq: n, event: eventOf(n) })}\n`)
}

function ratio(times: ReadonlyMap<string, number>, floor: string, measured: string): number {
  return (times.get(floor) ?? Number.NaN) / (times.get(measured) ?? Number.NaN)
}

/**
 * A session as it goes: model calls, tool calls with their results, now and then a gate, a suspension, a
 * signal, a sub agent.
 */
function eventOf(n: number): SessionEvent {
  const turn = Math.floor(n / 8)
  const call = `call_${Math.floor(n / 4)}`
  switch (n % 8) {
    case 0:
    case 4:
      return {
        kind: 'llm_completed',
        turn,
        message: {
          role: 'assistant',
          content: `I will look at file number ${n} and then run the tests to see which fail.`,
          tool_calls: [{ id: call, name: 'read_file', arguments: { path: `src/part-${n}.ts` } }],
          token_count: 40 + (n % 50),
        },
      }
    case 1:
    case 5:
      return {
        kind: 'tool_requested',
        turn,
        calls: [{ id: call, name: 'read_file', arguments: { path: `src/part-${n}.ts` } }],
      }
    case 2:
    case 6:
      return {
        kind: 'tool_completed',
        turn,
        results: [
          {
            call_id: call,
            output:
              `line one of the file\nline two of the file, a little longer\nexport const value = ${n}\n`.repeat(
                3,
              ),
            is_error: n % 50 === 2,
            is_fatal: false,
            token_count: null,
          },
        ],
      }
    case 3:
      return n % 512 === 3
        ? {
            kind: 'signal_disposed',
            turn,
            category: 'ipc',
            primitive: 'sched',
            signal_id: `sig-${n}`,
            disposition: 'queue',
            queue_depth: n % 4,
          }
        : { kind: 'page_in', turn, category: 'mm', primitive: 'mm', entry_count: n % 9 }
    default:
      return n % 64 === 7
        ? {
            kind: 'agent_process_changed',
            turn,
            category: 'proc',
            primitive: 'sched',
            agent_id: `child-${n % 256}`,
            parent_session_id: 's1',
            role: 'explore',
            isolation: 'readonly',
            context_inheritance: 'none',
            state: n % 128 === 7 ? 'running' : 'joined',
          }
        : {
            kind: 'tool_gated',
            turn,
            category: 'syscall',
            primitive: 'syscall',
            call_id: call,
            tool: 'write_file',
            reason: 'ask_user',
          }
  }
}
