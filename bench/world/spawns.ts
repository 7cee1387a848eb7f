/**
 * What subprocesses cost: 300 of them one after the other, a third each by `spawn`, `execFile` and `spawnSync`, in plain Node, recorded and replayed. Each
 * is a small shell command, as agents run them. Each candidate is a whole process, the candidates take turns, and the medians decide.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, verdict } from '../measure.ts'

const SPAWNS = 300
const ROUNDS = 7
const register = new URL('../../dist/entry/register.js', import.meta.url).href

const PROGRAM = `
import { execFile, spawn, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
const run = promisify(execFile)
const [program, ...args] = JSON.parse(process.argv[2])
let bytes = 0
for (let n = 0; n < ${SPAWNS / 3}; n += 1) {
  bytes += spawnSync(program, [...args, String(n)]).stdout.length
  bytes += (await run(program, [...args, String(n)])).stdout.length
  await new Promise((resolve, reject) => {
    const child = spawn(program, [...args, String(n)])
    child.stdout.on('data', (chunk) => { bytes += chunk.length })
    child.on('error', reject).on('close', resolve)
  })
}
if (bytes === 0) throw new Error('nothing was printed')
`

export function benchSpawns(): void {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  try {
    writeFileSync(join(folder, 'spawns.mjs'), PROGRAM)
    measure(folder, 'sh -c', ['sh', '-c', 'ls -la / | sort | head -n 3; echo $0'])
    measure(folder, 'echo, the least there is', ['echo'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measure(folder: string, what: string, command: readonly string[]): void {
  const tape = join(folder, 'run.tape')
  const candidates: Readonly<Record<string, () => void>> = {
    plain: () => run(folder, command, {}),
    recorded() {
      for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
      run(folder, command, { REPRISE_MODE: 'record', REPRISE_TAPE: tape })
    },
    replayed: () => run(folder, command, { REPRISE_MODE: 'replay', REPRISE_TAPE: tape }),
  }
  const times = new Map<string, number[]>(Object.keys(candidates).map((name) => [name, []]))
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, candidate] of Object.entries(candidates)) {
      const start = performance.now()
      candidate()
      if (round >= 0) times.get(name)?.push(performance.now() - start)
    }
  }
  const ms = (name: string): number => median(times.get(name) ?? [])
  console.log(
    `${SPAWNS} subprocesses, ${what}: plain ${ms('plain').toFixed(0)} ms, recorded ${ms('recorded').toFixed(0)}, replayed ${ms('replayed').toFixed(0)}`,
  )
  verdict(`  recorded against plain, ${what}`, ms('recorded') / ms('plain'), 1.1, 'at most')
  verdict(`  replayed against plain, times faster, ${what}`, ms('plain') / ms('replayed'), 5, 'at least')
}

function run(cwd: string, command: readonly string[], env: Readonly<Record<string, string>>): void {
  const preload = 'REPRISE_MODE' in env ? ['--import', register] : []
  const { status, stderr } = spawnSync(process.execPath, [...preload, 'spawns.mjs', JSON.stringify(command)], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${env.REPRISE_MODE ?? 'plain'}: ${stderr}`)
}
