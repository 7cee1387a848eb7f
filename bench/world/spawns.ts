/**
 * What subprocesses cost: 300 of them one after the other, a third each by `spawn`, `execFile` and
 * `spawnSync`, in plain Node, recorded and replayed. Each is a small shell command, as agents run them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verdict } from '../measure.ts'
import { sideBySide } from './side-by-side.ts'

const SPAWNS = 300

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
  const { plain, record, replay } = sideBySide(`${SPAWNS} subprocesses, ${what}`, folder, 'spawns.mjs', [
    JSON.stringify(command),
  ])
  const facts = { floor: plain, unit: 'ms' }
  verdict(`  recorded against plain, ${what}`, record / plain, 1.1, 'at most', {
    ...facts,
    ours: record,
    why: '`fork` copies the page tables of 21 MB of memory instead of 8: a sixth of what a recording adds. Each child is five records.',
  })
  verdict(`  replayed against plain, times faster, ${what}`, plain / replay, 5, 'at least', {
    ...facts,
    ours: replay,
    why: 'A third of the processor time is the start and V8 compiling; the rest is a stand-in child with its pipes and events: no function takes 3 %.',
  })
}
