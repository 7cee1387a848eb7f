/** Runs a program that leaves its tape on purpose: what `what-if` and `fork` share. */
import { dirname, resolve } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { TravelReport, TravelSettings } from '../testbench/program/travel-settings.ts'
import { type CommandInput, type CommandOption, flagOption, textOption } from './command.ts'
import { EXIT, type Output } from './output.ts'
import { type Replayed, replayProgram } from './replay-program.ts'
import { exitCodeOf } from './run-program.ts'
import { newTapePath } from './tape-names.ts'
import { trustOf, trustOptions } from './trust-options.ts'

export const travelOptions: readonly CommandOption[] = [
  { flags: '--out <file>', help: 'the new tape (default: a new one in .reprise/, see reprise list)' },
  { flags: '--force', help: 'replace an existing tape' },
  ...trustOptions,
  { flags: '--report <file>', help: 'write the report as JSON' },
  { flags: '--json', help: 'print the report as JSON; what the program writes to stdout goes to stderr' },
]

export type TravelRun = Pick<TravelSettings, 'at' | 'misses' | 'live' | 'env'> & {
  readonly name: string
  readonly tape: string
  readonly command: readonly string[]
  /** The edits as JSON. */
  readonly edits: string | null
}

export type Travelled = Replayed & { readonly travel: TravelReport; readonly named: string }

export async function travelProgram(input: CommandInput, run: TravelRun): Promise<Travelled> {
  const { name, at, misses, live, env, command } = run
  const tape = resolve(run.tape)
  const trust = await trustOf(input)
  if (!fs.existsSync(tape))
    throw new RepriseError('not-found', `${run.tape} is not there`, { hint: 'see reprise list' })
  const named = textOption(input, 'out') ?? newTapePath([`${name}.js`])
  const out = resolve(named)
  if (out === tape)
    throw new RepriseError('usage', `--out is the tape itself: ${named}`, { hint: 'choose another name' })
  if (!fs.existsSync(dirname(out)))
    throw new RepriseError('not-found', `the folder of ${named} is not there`, { hint: 'make it first' })
  if (fs.existsSync(out) && !flagOption(input, 'force'))
    throw new RepriseError('out-exists', `${out} is there already`, {
      details: { path: out },
      hint: 'choose another --out, or say --force to replace it',
    })
  const folder = fs.mkdtempSync(resolve(dirname(out), '.reprise-edits-'))
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
        command: command.length === 0 ? null : command,
      },
    })
    if (replayed.travel === null)
      throw new RepriseError('replay-no-verdict', 'the run ended without a report', {
        hint: 'was it killed? did a Node program run at all?',
      })
    return { ...replayed, travel: replayed.travel, named }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The exit code: the program's own, unless the run was not the requested one. */
export function travelExit({ end, travel, report }: Travelled): number {
  if (travel.ended || (travel.stage === 'tape' && report.verdict === 'diverged')) return EXIT.finding
  return exitCodeOf(end)
}

export function reportTravel(input: CommandInput, travelled: Travelled): void {
  const { report, travel, end } = travelled
  const document = { ...travel, exit_code: end.code, signal: end.signal, verdict: report.verdict }
  const wanted = textOption(input, 'report')
  if (wanted !== undefined)
    fs.writeFileSync(wanted, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 })
  if (flagOption(input, 'json')) input.output.json(document)
}

const MOST_SHOWN = 12

/** What the agent did differently, one line each. */
export function printDifferences(output: Output, travel: TravelReport): void {
  const { differences, others, ended, refused } = travel
  const sentences = [
    ...differences.map(({ sentence }) => sentence),
    ...(ended ? [askedFor(refused.at(-1))] : []),
  ]
  if (sentences.length === 0) output.note('the agent did nothing differently')
  else output.note(`the agent did ${sentences.length} thing(s) differently:`)
  for (const sentence of sentences.slice(0, MOST_SHOWN))
    for (const line of sentence.split('\n')) output.note(`  ${line}`)
  if (sentences.length > MOST_SHOWN) output.note(`  and ${sentences.length - MOST_SHOWN} more`)
  if (others > 0 && !ended) output.note(`  (${others} more place(s) differ: what it was given, and when)`)
}

/** The request that ended the run. */
function askedFor(refused: TravelReport['refused'][number] | undefined): string {
  const closest = /\n {2}closest[\s\S]*$/.exec(refused?.message ?? '')?.[0] ?? ''
  return `it asked for ${refused?.asked ?? 'something'}, which is not recorded: the run ends there${closest}`
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
