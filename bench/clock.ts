/** Many clock reads in one turn: replaying them against recording them, and how both grow. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verdict } from './measure.ts'
import { exponent } from './support/exponent.ts'
import { inMode, takeTurns } from './support/process-time.ts'

const program = fileURLToPath(new URL('./programs/clock-reads.mjs', import.meta.url))
const WHY =
  'A replay reads each line of the tape (after 8 MB twice), and compares its own record with it; a recording only encodes.'
const SIZES = [50_000, 500_000, 5_000_000]

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  const tape = join(folder, 'run.tape')
  const points: Record<'record' | 'replay', [number, number][]> = { record: [], replay: [] }
  try {
    for (const size of SIZES) {
      const base = { cwd: folder, tape }
      const args = [program, String(size)]
      const times = await takeTurns(
        {
          record: inMode('record', args, { ...base, before: () => rmSync(tape, { force: true }) }),
          replay: inMode('replay', args, base),
        },
        size > 1_000_000 ? 1 : 5,
      )
      for (const mode of ['record', 'replay'] as const) points[mode].push([size, times[mode].cpuMs])
      verdict(
        `replay of ${size.toLocaleString('en')} clock reads, against recording`,
        times.replay.cpuMs / times.record.cpuMs,
        1.5,
        'at most',
        { ours: times.replay.cpuMs, floor: times.record.cpuMs, unit: 'ms of processor time', why: WHY },
      )
    }
    for (const mode of ['record', 'replay'] as const)
      verdict(`${mode}, clock reads: exponent of growth`, exponent(points[mode]), 1.1, 'at most')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
