/** The tape against its floor: what the same lines cost with nothing but JSON and the file system. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  contentHash,
  createHeader,
  EventTape,
  encodeRecord,
  type Payload,
  type TapeRecord,
  TapeWriter,
  withActiveRecorder,
} from 'reprise/tape'
import { fromDisk } from '../dist/scrub/scrubbed.js'
import { alternate, verdict } from './measure.ts'
import { measureGrowth, measureScrubRatio } from './scrub-speed.ts'

const RECORDS = 20_000

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    await appendAndLoad(folder)
    verdict('scrubbing text, share of Buffer.indexOf', await measureScrubRatio(), 0.2, 'at least')
    verdict('scrubbing with 100,000 known values, against 100', await measureGrowth(), 1.5, 'at most')
    await idleRecordCall()
    millionRecords(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function appendAndLoad(folder: string): Promise<void> {
  const records = Array.from({ length: RECORDS }, (_, seq) => fromDisk(record(seq)))
  const wire: unknown[] = records.map((each) => JSON.parse(encodeRecord(each)))
  const ours = join(folder, 'ours.tape')
  const floor = join(folder, 'floor.tape')
  console.log(
    `${RECORDS} records of ${Math.round(encodeRecord(record(7)).length)} bytes or so, 31 blocks each`,
  )
  const times = await alternate(
    [
      {
        name: 'append',
        run() {
          const writer = TapeWriter.open(ours, fromDisk(createHeader()), { force: true })
          for (const each of records) writer.append(each)
          writer.close()
        },
      },
      {
        name: 'append floor',
        run() {
          rmSync(floor, { force: true })
          const descriptor = openSync(floor, 'wx')
          for (const each of wire) writeSync(descriptor, `${JSON.stringify(each)}\n`)
          closeSync(descriptor)
        },
      },
      {
        name: 'load',
        async run() {
          const tape = await EventTape.load(ours)
          if (tape.records.length !== RECORDS + 1) throw new Error('wrong count')
        },
      },
      {
        name: 'load floor',
        run() {
          const parsed: unknown[] = []
          for (const line of readFileSync(ours, 'utf8').split('\n'))
            if (line !== '') parsed.push(JSON.parse(line))
          if (parsed.length !== RECORDS + 2) throw new Error('wrong count')
        },
      },
    ],
    31,
  )
  for (const [name, what] of [
    ['append', 'append, seal included'],
    ['load', 'load'],
  ] as const) {
    const [ours, floor] = [times.get(name) ?? Number.NaN, times.get(`${name} floor`) ?? Number.NaN]
    verdict(`${what}, share of the floor`, floor / ours, 0.7, 'at least', {
      unit: 'ms',
      ours,
      floor,
      why: 'The floor parses each line and keeps what JSON gives. Ours also decodes and checks every field of every record.',
    })
  }
}

/** A mix as agents make it: clock reads, file reads, model calls with small answers, spawns. */
export function record(seq: number): TapeRecord {
  const stamp = { seq, phase: 'user_script', virtualTimeMs: 1767225600000 + seq, monotonicMs: seq } as const
  switch (seq % 4) {
    case 0:
      return { ...stamp, kind: { kind: 'clock_read', source: 'wall', valueMs: 1767225600000 + seq } }
    case 1:
      return {
        ...stamp,
        kind: {
          kind: 'file_read',
          path: `src/module-${seq}/index.ts`,
          contentHash: contentHash(Buffer.from('x')),
          lenBytes: seq,
        },
      }
    case 2: {
      const response = inline(
        `{"text":"answer ${seq} of a model, some sixty characters long, as they are","tool_calls":[],"model":"mock"}`,
      )
      return { ...stamp, kind: { kind: 'llm_call', requestDigest: response.contentHash, response } }
    }
    default: {
      const kind = {
        kind: 'process_spawn',
        program: 'git',
        args: ['status', '--short'],
        cwd: null,
        exitCode: 0,
        durationMs: 42,
      } as const
      return {
        ...stamp,
        kind: { ...kind, stdoutPayload: inline(' M src/index.ts\n'), stderrPayload: inline('') },
      }
    }
  }
}

function inline(text: string): Payload & { form: 'inline' } {
  return { form: 'inline', contentHash: contentHash(Buffer.from(text)), text }
}

async function idleRecordCall(): Promise<void> {
  const storage = new AsyncLocalStorage<() => void>()
  const empty = (): void => undefined
  const CALLS = 200_000
  let made = 0
  const times = await alternate(
    [
      {
        name: 'record call',
        run() {
          for (let at = 0; at < CALLS; at += 1) {
            withActiveRecorder(() => {
              made += 1
              return null
            })
          }
        },
      },
      {
        name: 'empty call',
        run() {
          for (let at = 0; at < CALLS; at += 1) (storage.getStore() ?? empty)()
        },
      },
    ],
    51,
  )
  if (made !== 0) throw new Error('a builder ran without a recorder')
  verdict(
    'a record call with no recorder, in empty calls',
    (times.get('record call') ?? 0) / (times.get('empty call') ?? 1),
    5,
    'at most',
  )
}

function millionRecords(folder: string): void {
  const path = join(folder, 'million.tape')
  const writer = TapeWriter.open(path, fromDisk(createHeader()))
  for (let seq = 0; seq < 1_000_000; seq += 1) writer.append(fromDisk(record(seq)))
  writer.close()
  const program = `
    import { verifyTape } from 'reprise/tape'
    const start = performance.now()
    const verdict = await verifyTape(process.argv[1])
    console.log(JSON.stringify({ ok: verdict.ok, findings: verdict.findings.length, seconds: (performance.now() - start) / 1000, rss: process.resourceUsage().maxRSS / 1024 }))`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, path], {
    encoding: 'utf8',
    cwd: new URL('..', import.meta.url),
  })
  const { ok, seconds, rss } = JSON.parse(run.stdout)
  if (ok !== true) throw new Error(`the tape of a million records is not whole: ${run.stdout}`)
  console.log(
    `verify of a million records, ${Math.round(statSync(path).size / 1e6)} MB: ${seconds.toFixed(1)} s`,
  )
  verdict('verify of a million records, resident MB', rss, 200, 'at most')
}
