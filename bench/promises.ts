/** A program that does little but await, recorded as a whole process, on every Node that is installed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict } from './measure.ts'
import { inMode, packageFolder, takeTurns } from './support/process-time.ts'

const TURNS = 400_000
const ROUNDS = 5
const program = fileURLToPath(new URL('./programs/promises.mjs', import.meta.url))

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    for (const [name, node] of nodes()) await measure(folder, name, node)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, name: string, node: string): Promise<void> {
  const tape = join(folder, 'run.tape')
  const before = (): void => rmSync(tape, { force: true })
  const base = { cwd: folder, node, tape }
  const startTape = join(folder, 'start.tape')
  const ofStart = { tape: startTape, before: () => rmSync(startTape, { force: true }) }
  const args = [program, String(TURNS)]
  // The start of a recording has rows of its own: it is taken out of both.
  const times = await takeTurns(
    {
      'plain start': inMode('plain', [program, '1'], base),
      'record start': inMode('record', [program, '1'], { ...base, ...ofStart }),
      plain: inMode('plain', args, base),
      record: inMode('record', args, { ...base, before }),
      replay: inMode('replay', args, base),
    },
    ROUNDS,
  )
  const plain = times.plain.cpuMs - times['plain start'].cpuMs
  const record = times.record.cpuMs - times['record start'].cpuMs
  const replay = times.replay.cpuMs - times['record start'].cpuMs
  const unit = 'ms of processor time'
  const why =
    'The first async context of a process turns on promise hooks in Node 20 and 22, and V8 never goes back to its fast path.'
  verdict(`promise-heavy program, ${name}: recording against plain`, record / plain, 1.1, 'at most', {
    ours: record,
    floor: plain,
    unit,
    why,
  })
  verdict(`promise-heavy program, ${name}: replaying against plain`, replay / plain, 1.1, 'at most', {
    ours: replay,
    floor: plain,
    unit,
    why,
  })
}

function nodes(): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [
    [`Node ${process.versions.node.split('.')[0]}`, process.execPath],
  ]
  for (const version of ['22', '24', '26']) {
    const path = join(packageFolder, `node_modules/node${version}/bin/node`)
    if (existsSync(path)) found.push([`Node ${version}`, path])
  }
  return found
}
