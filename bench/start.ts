/** What a start costs: the command line, the library, a small replay, each against a bare process of Node. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verdict } from './measure.ts'
import { startModelServer } from './support/model-server.ts'
import { commandLine, inMode, packageFolder, takeTurns, timed } from './support/process-time.ts'

const ROUNDS = 15
const node = process.execPath

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(packageFolder, join(folder, 'node_modules/reprise'))
    writeFileSync(join(folder, 'empty.mjs'), '')
    writeFileSync(join(folder, 'empty.cjs'), '')
    writeFileSync(join(folder, 'import.mjs'), "import { record } from 'reprise'\nif (!record) throw 1\n")
    writeFileSync(
      join(folder, 'small.mjs'),
      'for (let n = 0; n < 3; n += 1) await (await fetch(process.env.CHAT_URL, { method: "POST" })).text()\n',
    )
    await recordSmall(folder)
    const base = { cwd: folder }
    const tape = join(folder, 'start.tape')
    const times = await takeTurns(
      {
        bare: { ...base, argv: [node, 'empty.cjs'] },
        'bare ESM': { ...base, argv: [node, 'empty.mjs'] },
        'import reprise': { ...base, argv: [node, 'import.mjs'] },
        version: { ...base, argv: [node, commandLine, '--version'] },
        replay: { ...base, argv: [node, commandLine, 'replay', 'small.tape'] },
        idle: { ...base, argv: [node, '--import', 'reprise/register', 'empty.mjs'] },
        recording: inMode('record', ['empty.mjs'], {
          ...base,
          tape,
          before: () => rmSync(tape, { force: true }),
        }),
      },
      ROUNDS,
    )
    const row = (
      what: string,
      name: keyof typeof times,
      floor: keyof typeof times,
      goal: number,
      why?: string,
    ): void =>
      verdict(what, times[name].cpuMs / times[floor].cpuMs, goal, 'at most', {
        ours: times[name].cpuMs,
        floor: times[floor].cpuMs,
        unit: 'ms of processor time',
        why,
      })
    row(
      "import 'reprise', against an empty ES module",
      'import reprise',
      'bare ESM',
      1.5,
      'The functions of Node are captured at the import, which loads some of its modules (decisions 0425, 0540).',
    )
    row('reprise --version, against an empty program', 'version', 'bare', 1.5)
    row(
      'reprise replay of a small tape, against an empty program',
      'replay',
      'bare',
      3,
      'Two processes start (45 ms), and the program loads undici (27): 72 ms without Reprise. The command adds 21, 5 of them to load child_process and start a process; the engine in the program adds 58.',
    )
    row('start with register, idle', 'idle', 'bare ESM', 1.5)
    row(
      'start with register, recording',
      'recording',
      'bare ESM',
      2,
      'The larger half loads the engine: 3 ms to read its files, 7 for V8 to take the compiled code, the rest to run 500 modules. Then come the modules of Node that an empty program does not load (5), patches, scrubber and header.',
    )
    verdict(
      'reprise replay of a small tape, fastest wall',
      times.replay.wallMs / times.bare.wallMs,
      3,
      'at most',
      {
        ours: times.replay.wallMs,
        floor: times.bare.wallMs,
        unit: 'ms',
        why: 'Two processes start, one after the other, and the program loads undici.',
      },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function recordSmall(folder: string): Promise<void> {
  const server = await startModelServer({ delayMs: 0, chunks: 3 })
  try {
    await timed({
      cwd: folder,
      env: { CHAT_URL: server.url },
      argv: [node, commandLine, 'record', '--quiet', '--out', 'small.tape', '--', node, 'small.mjs'],
    })
  } finally {
    server.stop()
  }
}
