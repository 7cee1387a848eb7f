/** Runs a program that leaves its tape on purpose: what `what-if` and `fork` share. */
import { dirname, resolve } from 'node:path'
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { requireRecord } from '../testbench/compose/prepare-travel.ts'
import type { TravelReport, TravelSettings } from '../testbench/program/travel-settings.ts'
import { type LiveName, liveNames } from '../testbench/sources/live-set.ts'
import { type CommandInput, flagOption, textOption } from './command.ts'
import { EXIT, type Output } from './output.ts'
import { recordedProgram } from './program-folder.ts'
import { type Replayed, replayProgram } from './replay-program.ts'
import { exitCodeOf } from './run-program.ts'
import { newTapePath } from './tape-names.ts'
import { trustOf } from './trust-options.ts'
import { writeReport } from './write-report.ts'

export type TravelRun = Pick<TravelSettings, 'at' | 'misses' | 'live' | 'env' | 'models' | 'files'> & {
  readonly name: string
  readonly tape: string
  readonly command: readonly string[]
  /** The edits as JSON. */
  readonly edits: string | null
}

export type Travelled = Replayed & {
  readonly travel: TravelReport
  readonly tape: string
  readonly named: string
  /** The folder of the program. */
  readonly root: string
}

export async function travelProgram(input: CommandInput, run: TravelRun): Promise<Travelled> {
  const { name, at, misses, live, env, models, files, command } = run
  const tape = resolve(run.tape)
  const trust = await trustOf(input)
  if (!fs.existsSync(tape))
    throw new RepriseError('not-found', `${run.tape} is not there`, { hint: 'see reprise list' })
  if (at !== null) requireRecord(tape, at)
  const named = textOption(input, 'out') ?? newTapePath([`${name}.js`])
  const out = resolve(named)
  if (out === tape)
    throw new RepriseError('usage', `--out is the tape itself: ${named}`, { hint: 'choose another name' })
  if (!fs.existsSync(dirname(out)))
    throw new RepriseError('not-found', `the folder of ${named} is not there`, { hint: 'make it first' })
  if (fs.existsSync(out) && !flagOption(input, 'force'))
    throw new RepriseError('out-exists', `${out} is there already`, {
      details: { path: out },
      hint: 'choose another --out, or use --force to replace it',
    })
  const folder = writing(named, () => fs.mkdtempSync(resolve(dirname(out), '.reprise-edits-')))
  const edits = run.edits === null ? null : resolve(folder, 'edits.json')
  try {
    if (edits !== null) fs.writeFileSync(edits, run.edits ?? '', { mode: 0o600 })
    const replayed = await replayProgram({
      tape,
      command,
      trust,
      mode: 'semantic',
      speed: 0,
      debug: flagOption(input, 'debug'),
      stdout: flagOption(input, 'json') ? 'stderr' : 'inherit',
      travel: {
        out,
        force: flagOption(input, 'force'),
        at,
        misses,
        live,
        edits,
        env,
        models,
        files,
        command: command.length === 0 ? null : command,
      },
    })
    if (replayed.travel === null)
      throw new RepriseError('replay-no-verdict', 'the run ended without a report', {
        hint: 'was it killed? did a Node program run at all?',
      })
    const root = recordedProgram(tape).folder
    return { ...replayed, travel: replayed.travel, tape, named, root }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function writing<T>(path: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw fromSystemError(error, 'write', path)
  }
}

/** The exit code: the program's own, unless the run was not the requested one. */
export function travelExit({ end, travel, report }: Travelled): number {
  if (travel.ended || (travel.stage === 'tape' && report.verdict === 'diverged')) return EXIT.finding
  return exitCodeOf(end)
}

/** Where the files of a live run go. Subprocesses need files on the disk. */
export function filesOf(input: CommandInput, live: readonly LiveName[]): TravelSettings['files'] {
  const folder = textOption(input, 'sandbox')
  const isReal = flagOption(input, 'realFiles')
  const hasProcess = live.includes('process') || live.includes('all')
  if (folder !== undefined && isReal)
    throw new RepriseError('usage', 'give --sandbox or --real-files, not both', { hint: 'choose one' })
  if (hasProcess && folder === undefined && !isReal)
    throw new RepriseError('usage', 'live subprocesses need files on the disk', {
      hint: 'give --sandbox FOLDER for a folder of their own, or --real-files for yours',
    })
  if (isReal) return { type: 'disk' }
  if (folder === undefined) return { type: 'overlay' }
  const place = resolve(folder)
  const there = writing(folder, () => fs.statSync(place, { throwIfNoEntry: false }))
  if (there !== undefined && (!there.isDirectory() || fs.readdirSync(place).length > 0))
    throw new RepriseError('out-exists', `the sandbox ${folder} is not an empty folder`, {
      details: { path: place },
      hint: 'choose a folder that is not there yet',
    })
  writing(folder, () => fs.mkdirSync(place, { recursive: true, mode: 0o700 }))
  return { type: 'sandbox', folder: fs.realpathSync(place) }
}

/** `llm,mcp` or several words. */
export function liveOf(texts: readonly string[]): readonly LiveName[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim())
  for (const name of names)
    if (!isLiveName(name))
      throw new RepriseError('usage', `${JSON.stringify(name)} cannot be live`, {
        hint: `--live takes one or more of ${liveNames.join(', ')}, separated by commas`,
      })
  return names.filter(isLiveName)
}

function isLiveName(name: string): name is LiveName {
  return liveNames.some((known) => known === name)
}

/** `KEY=value`, any number of times. */
export function pairsOf(texts: readonly string[], option: string): Readonly<Record<string, string>> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=')
    if (at < 1)
      throw new RepriseError('usage', `--${option} takes NAME=VALUE, not ${JSON.stringify(text)}`, {
        hint: `as: --${option} NAME=VALUE`,
      })
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return Object.fromEntries(pairs)
}

export async function reportTravel(input: CommandInput, travelled: Travelled): Promise<void> {
  const { report, travel, end } = travelled
  const document = { ...travel, exit_code: end.code, signal: end.signal, verdict: report.verdict }
  const wanted = textOption(input, 'report')
  if (wanted !== undefined)
    await writeReport(wanted, `${JSON.stringify(document, null, 2)}\n`, [travelled.tape, travelled.named])
  if (flagOption(input, 'json')) input.output.json(document)
}

const MOST_SHOWN = 12

/** What the agent did differently, one line each. */
export function printDifferences(output: Output, travel: TravelReport): void {
  const { differences, others, ended, refused } = travel
  const sentences = [
    ...differences.map(({ sentence }) => sentence),
    ...(ended ? [endingRequest(refused.at(-1))] : []),
  ]
  if (sentences.length === 0) output.note('the agent did nothing differently')
  else output.note(`the agent did ${sentences.length} thing(s) differently:`)
  for (const sentence of sentences.slice(0, MOST_SHOWN))
    for (const line of sentence.split('\n')) output.note(`  ${line}`)
  if (sentences.length > MOST_SHOWN) output.note(`  and ${sentences.length - MOST_SHOWN} more`)
  if (others > 0 && !ended) output.note(`  (${others} more place(s) differ: what it was given, and when)`)
}

/** The request that ended the run. */
function endingRequest(refused: TravelReport['refused'][number] | undefined): string {
  const closest = /\n {2}closest[\s\S]*$/.exec(refused?.message ?? '')?.[0] ?? ''
  return `it requested ${refused?.asked ?? 'something'}, which is not recorded: the run ends there${closest}`
}

export function printRefusals(output: Output, { refused, nearest, lacking, ended }: TravelReport): void {
  for (const { asked, seq } of nearest.slice(0, MOST_SHOWN))
    output.note(`not recorded: ${asked}; answered with the response of record ${seq}`, 'warning')
  for (const { message } of ended ? [] : refused.slice(0, MOST_SHOWN)) {
    const [first = ''] = message.split('\n')
    output.note(`refused: ${first}`, 'warning')
  }
  for (const name of lacking)
    output.note(`${name} is not set here: the program has a placeholder instead of it`, 'warning')
}
