/**
 * Processor time of whole processes, children included: user and system, as the shell's `time` reports it.
 *
 * The wall says little on a machine that others load, so ratios are made of processor time. Candidates take
 * turns, the order moves on by one each round, and medians decide. One round before is not counted.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { median } from '../measure.ts'
import { measuredEnvironment } from './measured-environment.ts'

export const packageFolder: string = fileURLToPath(new URL('../../', import.meta.url))
const register: string = new URL('../../dist/entry/register.js', import.meta.url).href
export const commandLine: string = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))

export type Run = { readonly cpuMs: number; readonly wallMs: number; readonly stdout: string }
export type Command = {
  readonly argv: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Runs before each round, untimed. */
  readonly before?: () => void
  /** Runs after each round, untimed. */
  readonly after?: () => void
}
/** Medians of the rounds; the wall is the fastest one, which load disturbs least. */
export type Medians = { readonly cpuMs: number; readonly wallMs: number }

export async function takeTurns<Name extends string>(
  commands: Readonly<Record<Name, Command>>,
  rounds: number,
): Promise<Readonly<Record<Name, Medians>>> {
  const names = Object.keys(commands) as Name[]
  const runs = Object.fromEntries(names.map((name) => [name, [] as Run[]])) as Record<Name, Run[]>
  for (let round = -1; round < rounds; round += 1) {
    const shift = Math.max(round, 0) % names.length
    for (const name of [...names.slice(shift), ...names.slice(0, shift)]) {
      commands[name].before?.()
      const run = await timed(commands[name])
      commands[name].after?.()
      if (round >= 0) runs[name].push(run)
    }
  }
  const medians = (of: readonly Run[]): Medians => ({
    cpuMs: median(of.map(({ cpuMs }) => cpuMs)),
    wallMs: Math.min(...of.map(({ wallMs }) => wallMs)),
  })
  return Object.fromEntries(names.map((name) => [name, medians(runs[name])])) as Record<Name, Medians>
}

export async function timed({ argv, cwd, env }: Command): Promise<Run> {
  // Descriptor 3 keeps what `time` prints apart from what the program prints.
  const script = 'TIMEFORMAT="%3U %3S %3R"; { time "$0" "$@" 2>&4; } 4>&2 2>&3'
  const child = spawn('bash', ['-c', script, ...argv], {
    cwd,
    env: measuredEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const output = ['', '', '', '']
  for (const at of [1, 2, 3])
    child.stdio[at]?.on('data', (data: Buffer) => {
      output[at] += data.toString()
    })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const [user, system, wall] = (output[3] ?? '').trim().split(' ').map(Number)
  if (code !== 0 || user === undefined || system === undefined || wall === undefined)
    throw new Error(`${argv.join(' ')}: exit code ${code}\n${output[2]}`)
  return { cpuMs: (user + system) * 1000, wallMs: wall * 1000, stdout: output[1] ?? '' }
}

/**
 * The command of a program in plain Node, recorded on a tape, or replayed from it, as the command line starts
 * it: a replay compares its second recording while it is made, and does not write it.
 */
export function inMode(
  mode: 'plain' | 'record' | 'replay',
  program: readonly string[],
  { tape, node = process.execPath, ...rest }: Omit<Command, 'argv'> & { tape: string; node?: string },
): Command {
  if (mode === 'plain') return { argv: [node, ...program], ...rest }
  const argv = [node, '--import', register, ...program]
  const env = { ...rest.env, REPRISE_MODE: mode, REPRISE_TAPE: tape }
  if (mode === 'record') return { ...rest, argv, env }
  const result = `${tape}.result.json`
  return {
    ...rest,
    argv,
    env: { ...env, REPRISE_SETTINGS: JSON.stringify({ result }) },
    before() {
      rmSync(result, { force: true })
      rest.before?.()
    },
    after() {
      const { report } = JSON.parse(readFileSync(result, 'utf8'))
      if (report.verdict !== 'faithful') throw new Error(`the replay of ${tape} is ${report.verdict}`)
    },
  }
}
