/**
 * 50 MB through a terminal, one run side by side: `cat` to a bare node-pty, util-linux `script`, `asciinema
 * rec`, and Reprise without and with frames. All read the same child on a terminal of the same size, and each
 * is timed from its start until its recording is closed, on the disk included. The bare PTY comes before each
 * of the others, so that a busy moment of the machine hits both: a ratio is the median of those pairs. One
 * round goes before, untimed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordSession, startSession } from '../src/cassette/index.ts'
import { median, verdict } from './measure.ts'

/** How often each is timed: more often where a target hangs on it. */
const MANY = 11
const FEW = 3
const LINE = `${'The quick brown fox jumps over the lazy dog, 0123456789 times; '.repeat(2).slice(0, 99)}\n`
const LINES = 500_000

type Contender = {
  readonly name: string
  readonly rounds: number
  run(file: string, out: string): Promise<void> | void
}
/** Milliseconds of one round, and of the bare PTY just before it. */
type Pair = { readonly ms: number; readonly bareMs: number }

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-cassette-'))
  const out = join(folder, 'out')
  const timed = async (file: string, run: Contender['run']): Promise<number> => {
    const start = performance.now()
    await run(file, out)
    const ms = performance.now() - start
    rmSync(out, { recursive: true, force: true })
    return ms
  }
  try {
    const file = join(folder, '50mb.txt')
    writeFileSync(file, LINE.repeat(LINES))
    const pairs = new Map<string, Pair[]>(contenders.map(({ name }) => [name, []]))
    for (let round = -1; round < MANY; round += 1) {
      for (const { name, rounds, run } of contenders) {
        if (round >= rounds || (round < 0 && rounds === FEW)) continue
        const bareMs = await timed(file, barePty)
        const ms = await timed(file, run)
        if (round >= 0) pairs.get(name)?.push({ ms, bareMs })
      }
    }
    report(pairs, statSync(file).size)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const contenders: readonly Contender[] = [
  { name: 'Reprise without frames', rounds: MANY, run: (file, out) => record(file, out, false) },
  { name: 'Reprise with frames', rounds: FEW, run: (file, out) => record(file, out, true) },
  { name: 'script', rounds: FEW, run: (file, out) => program('script', ['-q', '-c', `cat ${file}`, out]) },
  {
    name: 'asciinema rec',
    rounds: FEW,
    run: (file, out) => onTerminal(['asciinema', 'rec', '-q', '--overwrite', '-c', `cat ${file}`, out]),
  },
]

type BarePty = {
  spawn(
    file: string,
    args: string[],
    options: object,
  ): { onData(listener: (data: unknown) => void): void; onExit(listener: () => void): void }
}

/** The library as it comes: raw bytes, nothing kept. */
function barePty(file: string): Promise<void> {
  const library: BarePty = createRequire(import.meta.url)('@lydell/node-pty')
  return new Promise((resolve) => {
    const child = library.spawn('cat', [file], { name: 'xterm-256color', rows: 24, cols: 80, encoding: null })
    child.onData(() => undefined)
    child.onExit(() => resolve())
  })
}

async function record(file: string, out: string, frames: boolean): Promise<void> {
  await recordSession({ out, argv: ['cat', file], frames })
}

function program(name: string, args: readonly string[]): void {
  const { status } = spawnSync(name, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${name} ended with ${status}: is it installed?`)
}

/** asciinema wants a terminal to write to. It is read as fast as it comes, and thrown away. */
async function onTerminal(argv: readonly string[]): Promise<void> {
  await using session = startSession({ argv, locale: 'C.UTF-8' })
  for await (const event of session.events()) {
    if (event.kind === 'exit' && event.exit.code !== 0)
      throw new Error(`${argv[0]} ended with ${event.exit.code}: is it installed?`)
  }
}

function report(pairs: ReadonlyMap<string, readonly Pair[]>, bytes: number): void {
  const speed = (times: readonly number[]): number => bytes / 1e6 / (median(times) / 1000)
  const rate = (times: readonly number[]): string => speed(times).toFixed(1).padStart(7)
  const speedOf = (name: string): number => speed((pairs.get(name) ?? []).map(({ ms }) => ms))
  const ratio = (name: string): number => median((pairs.get(name) ?? []).map(({ ms, bareMs }) => bareMs / ms))
  console.log(
    `cassette: ${(bytes / 1e6).toFixed(0)} MB through a terminal; medians, each beside the bare PTY of the same moment`,
  )
  console.log(
    `  ${'bare node-pty'.padEnd(24)} ${rate([...pairs.values()].flat().map(({ bareMs }) => bareMs))} MB/s`,
  )
  for (const [name, of] of pairs) {
    console.log(
      `  ${name.padEnd(24)} ${rate(of.map(({ ms }) => ms))} MB/s   ${ratio(name).toFixed(2)} of the bare PTY   (${of.length} rounds)`,
    )
  }
  const ours = 'Reprise without frames'
  const figures = {
    ours: speedOf(ours),
    floor: speed([...pairs.values()].flat().map(({ bareMs }) => bareMs)),
    unit: 'MB/s',
    peers: { asciinema: speedOf('asciinema rec'), script: speedOf('script') },
    why: 'Reading and recording take turns on one thread, and a read leaves about 5 µs per 4 KB for work that costs nothing. Reading takes no more processor time than the bare PTY; recording takes about as much again, and the program and the kernel need the same processors. Of that, both digests are 27 %, the two searches for secrets 26 % and writing 11 %; the rest is spread over many small parts.',
  }
  verdict('terminal without frames, share of the bare PTY', ratio(ours), 0.8, 'at least', figures)
  verdict('terminal without frames, times asciinema', ratio(ours) / ratio('asciinema rec'), 1, 'at least', {
    ...figures,
    peers: { asciinema: speedOf('asciinema rec') },
  })
}
