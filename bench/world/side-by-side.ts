/**
 * One program in plain Node, recorded and replayed, side by side: each candidate is a whole process, the
 * candidates take turns, and the medians decide. Where the machine is busy the wall says little, so the
 * processor time of each is told too.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../measure.ts'
import { measuredEnvironment } from '../support/measured-environment.ts'

const ROUNDS = 7
const register = new URL('../../dist/entry/register.js', import.meta.url).href
const modes = ['plain', 'record', 'replay'] as const

type Mode = (typeof modes)[number]
export type SideBySide = Readonly<Record<Mode, number>>

/** Median milliseconds of `node script arguments`, run in `folder`. Prints them under `what`. */
export function sideBySide(
  what: string,
  folder: string,
  script: string,
  args: readonly string[],
): SideBySide {
  const tape = join(folder, 'run.tape')
  const wall: Record<Mode, number[]> = { plain: [], record: [], replay: [] }
  const processor: Record<Mode, number[]> = { plain: [], record: [], replay: [] }
  // The first round is for the caches.
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const mode of modes) {
      if (mode === 'record')
        for (const path of [tape, `${tape}.cas`]) rmSync(path, { recursive: true, force: true })
      const env = environment(mode, tape)
      const start = performance.now()
      const cpuMs = run(folder, [...(mode === 'plain' ? [] : ['--import', register]), script, ...args], env)
      if (mode === 'replay') expectFaithful(`${tape}${RESULT}`)
      if (round < 0) continue
      wall[mode].push(performance.now() - start)
      processor[mode].push(cpuMs)
    }
  }
  const shown = (samples: Readonly<Record<Mode, readonly number[]>>): string =>
    `plain ${median(samples.plain).toFixed(0)} ms, recorded ${median(samples.record).toFixed(0)}, replayed ${median(samples.replay).toFixed(0)}`
  console.log(`${what}: ${shown(wall)}; processor: ${shown(processor)}`)
  return { plain: median(wall.plain), record: median(wall.record), replay: median(wall.replay) }
}

const RESULT = '.result.json'

/** As the command line starts a replay: its second recording is compared while it is made, and not written. */
function environment(mode: Mode, tape: string): Readonly<Record<string, string>> {
  if (mode === 'plain') return {}
  const env = { REPRISE_MODE: mode, REPRISE_TAPE: tape }
  if (mode === 'record') return env
  rmSync(`${tape}${RESULT}`, { force: true })
  return { ...env, REPRISE_SETTINGS: JSON.stringify({ result: `${tape}${RESULT}` }) }
}

function expectFaithful(result: string): void {
  const { report } = JSON.parse(readFileSync(result, 'utf8'))
  if (report.verdict !== 'faithful') throw new Error(`the replay is ${report.verdict}`)
}

/** Processor time of the process itself, without its children. */
const TELL_CPU =
  'data:text/javascript,import fs from "node:fs";const cpu=process.cpuUsage.bind(process),write=fs.writeSync;' +
  'process.on("exit",()=>{const{user,system}=cpu();write(3,String((user+system)/1000))})'

function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): number {
  const { status, stderr, output } = spawnSync(process.execPath, ['--import', TELL_CPU, ...args], {
    cwd,
    encoding: 'utf8',
    env: measuredEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`${env.REPRISE_MODE ?? 'plain'}: ${stderr}`)
  return Number(output[3])
}
