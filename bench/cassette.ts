/**
 * 50 MB through a terminal, one run side by side: `cat` to a bare node-pty, util-linux `script`, `asciinema rec`, and Reprise without and with frames.
 * Rounds alternate, so a busy moment of the machine hits all alike; ratios are of medians. Each is timed from its start until its recording is closed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordSession, startSession } from '../src/cassette/index.ts'

const ROUNDS = 5
const LINE = `${'The quick brown fox jumps over the lazy dog, 0123456789 times; '.repeat(2).slice(0, 99)}\n`
const LINES = 500_000

type Contender = { readonly name: string; run(file: string, out: string): Promise<void> | void }

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-cassette-'))
  try {
    const file = join(folder, '50mb.txt')
    writeFileSync(file, LINE.repeat(LINES))
    const bytes = statSync(file).size
    const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { name, run } of contenders) {
        const out = join(folder, `out-${round}-${name.replace(/\W+/g, '-')}`)
        const start = performance.now()
        await run(file, out)
        times.get(name)?.push(performance.now() - start)
        rmSync(out, { recursive: true, force: true })
      }
    }
    report(times, bytes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const contenders: readonly Contender[] = [
  { name: 'bare node-pty', run: barePty },
  { name: 'Reprise without frames', run: (file, out) => record(file, out, false) },
  { name: 'Reprise with frames', run: (file, out) => record(file, out, true) },
  { name: 'script', run: (file, out) => program('script', ['-q', '-c', `cat ${file}`, out]) },
  { name: 'asciinema rec', run: (file, out) => onTerminal(['asciinema', 'rec', '-q', '--overwrite', '-c', `cat ${file}`, out]) },
]

type BarePty = {
  spawn(file: string, args: string[], options: object): { onData(listener: (data: unknown) => void): void; onExit(listener: () => void): void }
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
    if (event.kind === 'exit' && event.exit.code !== 0) throw new Error(`${argv[0]} ended with ${event.exit.code}: is it installed?`)
  }
}

function report(times: ReadonlyMap<string, readonly number[]>, bytes: number): void {
  const rate = (name: string): number => bytes / 1e6 / (median(times.get(name) ?? []) / 1000)
  console.log(`cassette: ${(bytes / 1e6).toFixed(0)} MB through a terminal, medians of ${ROUNDS} alternating rounds`)
  for (const name of times.keys()) {
    const ratio = rate(name) / rate('bare node-pty')
    console.log(`  ${name.padEnd(24)} ${rate(name).toFixed(1).padStart(7)} MB/s   ${ratio.toFixed(2)} of the bare PTY`)
  }
  const ours = rate('Reprise without frames') / rate('bare node-pty')
  target('without frames, of the bare PTY', ours, 0.8)
  target('without frames, times asciinema', rate('Reprise without frames') / rate('asciinema rec'), 1)
}

function target(what: string, measured: number, wanted: number): void {
  console.log(`  ${what}: measured ${measured.toFixed(2)}, target ${wanted}: ${measured >= wanted ? 'reached' : 'not reached'}`)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
