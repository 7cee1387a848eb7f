/** Resident memory of a process that is recorded and waits. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, verdict } from './measure.ts'
import { measuredEnvironment } from './support/measured-environment.ts'
import { inMode } from './support/process-time.ts'

const ROUNDS = 7
const IDLE = 'console.log("ready"); setTimeout(() => undefined, 600_000)'

export async function bench(): Promise<void> {
  if (process.platform !== 'linux') {
    console.log('not measured: resident memory is read from /proc')
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  const samples = { plain: [] as number[], record: [] as number[] }
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const mode of ['plain', 'record'] as const)
        samples[mode].push(await residentMb(mode, join(folder, `${round}.tape`)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const [plain, record] = [median(samples.plain), median(samples.record)]
  verdict('idle memory while recording, MB', record, 48, 'at most', {
    ours: record,
    floor: plain,
    unit: 'MB',
    why: 'Of 15 MB, 6 are pages of the Node binary that an empty program never runs, 4 code and tables of the engine, 3 a larger young generation of V8, 2 the text of the engine.',
  })
}

async function residentMb(mode: 'plain' | 'record', tape: string): Promise<number> {
  const { argv, env } = inMode(mode, ['--input-type=module', '-e', IDLE], { tape })
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    env: measuredEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve))
    // What a start leaves behind is not idle memory: wait for half a second without work.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  } finally {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
  }
}
