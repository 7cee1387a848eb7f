/**
 * `reprise fidelity <recorded> <replay>`: are the two runs the same? A judging command: exits 2 on a
 * divergence, or if the comparison proves nothing.
 */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { ComparedChild } from '../../fidelity/formats/presented.ts'
import type { FidelityMode } from '../../fidelity/index.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { trustOf, trustOptions } from '../trust-options.ts'
import { writeReport } from '../write-report.ts'

export const fidelity: Command = {
  name: 'fidelity',
  arguments: '[tapes-or-command...]',
  help: 'compare two tapes, or (with --against) a tape with a replay of it, record by record',
  options: [
    {
      flags: '--against <tape>',
      help: 'run the command after -- from this tape and compare; without a command, the recorded one',
    },
    {
      flags: '--no-wall',
      help: "with --against: do not use Node's permission model as a second wall (Node 22.13 and newer)",
    },
    { flags: '--live', help: 'with --against: run against the real world instead, to see what has drifted' },
    { flags: '--mode <mode>', help: 'byte-identical, semantic (default), outcome or phase-aware' },
    {
      flags: '--align <how>',
      help: 'lcs: pair records by content (default); position: the first with the first',
    },
    { flags: '--format <format>', help: 'text (default), json, junit, github or markdown' },
    { flags: '--json', help: 'the same as --format json' },
    { flags: '--report <file>', help: 'write the report to a file (as JSON, or in the given --format)' },
    {
      flags: '--budget <category=n>',
      help: 'allow this many of a category; may be given more than once',
      repeat: true,
    },
    ...trustOptions,
    { flags: '--verify-payloads', help: 'hash every payload again instead of trusting its hash' },
  ],
  tapes: 'all',
  tapeOption: 'against',
  async run(input) {
    const { compareTapes, formatReport, judge, parseAlignment, parseBudget, parseMode } = await import(
      '../../fidelity/index.ts'
    )
    const { applyReplayPolicy, toleratedUnmatched } = await import('../../fidelity/replay-policy.ts')
    const mode = parseMode(textOption(input, 'mode') ?? 'semantic')
    const align = parseAlignment(textOption(input, 'align') ?? 'lcs')
    const budget = parseBudget(listOption(input, 'budget'))
    const format = await chosenFormat(input)
    const file = textOption(input, 'report')
    const sides = await sidesOf(input, mode)
    const [recordedName, replayName] = sides.paths
    const damage = await damageOf(sides.isReplay ? [recordedName] : sides.paths)
    const options = { align, verifyPayloads: flagOption(input, 'verifyPayloads') }
    const tolerant = sides.isReplay ? { ...options, toleratedUnmatched: toleratedUnmatched(mode) } : options
    const { childLine } = await import('../../fidelity/formats/presented.ts')
    const { compareChildren } = await import('../compare-children.ts')
    const compareAll = async () => ({
      compared: await compareTapes(recordedName, replayName, mode, tolerant),
      children: sides.children ?? (await compareChildren(sides.paths, mode, options, budget)),
    })
    const { compared, children } = await compareAll().finally(sides.clean)
    const report = sides.isReplay ? applyReplayPolicy(compared) : compared
    const own = judge(report, budget)
    const wrong = children.filter(({ verdict }) => verdict !== 'same')
    const judgement = { ...own, passed: own.passed && wrong.length === 0 }
    const tree = children.length === 0 ? {} : { children }
    const presented = { report, judgement, recordedName, replayName, ...tree }
    if (file !== undefined)
      await writeReport(file, formatReport(format ?? 'json', presented), [recordedName, replayName])
    const shown = flagOption(input, 'json') ? 'json' : file === undefined ? (format ?? 'text') : 'text'
    const text = formatReport(shown, presented)
    printReport(input, text, shown === 'text' ? judgement.passed : null)
    for (const child of wrong) input.output.note(childLine(child), 'bad')
    const { tolerated = 0 } = report
    if (tolerated > 0) input.output.note(`${tolerated} difference(s) that a replay may have are not counted`)
    if (sides.doubt !== null) input.output.note(sides.doubt)
    for (const each of damage) input.output.note(each)
    return judgement.passed && sides.doubt === null && damage.length === 0 ? EXIT.fine : EXIT.finding
  },
}

/**
 * What is wrong with the bytes of the tapes: lines, hashes, payloads, the chain of the seal. A comparison of
 * damaged tapes proves nothing.
 */
async function damageOf(paths: readonly string[]): Promise<string[]> {
  const { verifyTape } = await import('../../tape/verify.ts')
  const { damageIn } = await import('../../tape/findings.ts')
  const found: string[] = []
  for (const path of paths) {
    const [first, ...more] = damageIn((await verifyTape(path)).findings)
    const others = more.length === 0 ? '' : ` (and ${more.length} more: reprise verify)`
    if (first !== undefined) found.push(`${path} is damaged: ${first.message}${others}`)
  }
  return found
}

/** The first line of a text is its verdict, and has its colour. */
function printReport({ output }: CommandInput, text: string, passed: boolean | null): void {
  const whole = text.endsWith('\n') ? text : `${text}\n`
  const end = whole.indexOf('\n')
  if (passed === null) output.raw(whole)
  else {
    output.line(whole.slice(0, end), passed ? 'good' : 'bad')
    output.raw(whole.slice(end + 1))
  }
}

type Sides = {
  readonly paths: readonly [recorded: string, replay: string]
  /** What the replay itself found, in a few words; null if nothing, or if there was none. */
  readonly doubt: string | null
  /** Whether the second tape is that of a replay of the first. */
  readonly isReplay: boolean
  /** The replays of the children of the first tape; null if there are two trees to compare. */
  readonly children: readonly ComparedChild[] | null
  clean(): void
}

/** The two tapes to compare; the second is made by running the program with `--against`. */
async function sidesOf(input: CommandInput, mode: FidelityMode): Promise<Sides> {
  const against = textOption(input, 'against')
  if (against === undefined) {
    const [recorded, replay, ...more] = input.arguments
    if (recorded === undefined || replay === undefined || more.length > 0) {
      throw new RepriseError('usage', 'fidelity takes two tapes, or --against <tape> -- <command>', {
        hint: 'see reprise fidelity --help',
      })
    }
    return { paths: [recorded, replay], doubt: null, children: null, isReplay: false, clean: () => undefined }
  }
  const { fs } = await import('../../real/fs.ts')
  const { realTmpdir } = await import('../../real/process.ts')
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-fidelity-`)
  const clean = (): void => fs.rmSync(folder, { recursive: true, force: true })
  const emitted = `${folder}/again.tape`
  try {
    const second = await makeSecond(input, resolve(against), emitted, mode)
    return { paths: [against, emitted], ...second, isReplay: !flagOption(input, 'live'), clean }
  } catch (error) {
    clean()
    throw error
  }
}

async function makeSecond(
  input: CommandInput,
  tape: string,
  out: string,
  mode: FidelityMode,
): Promise<Pick<Sides, 'doubt' | 'children'>> {
  if (flagOption(input, 'live')) {
    const { runProgram } = await import('../run-program.ts')
    const { recordedProgram } = await import('../program-folder.ts')
    const { recordedCommand } = await import('../recorded-command.ts')
    const recorded = recordedProgram(tape)
    const named = input.arguments.length > 0
    const command = named ? input.arguments : await recordedCommand(recorded, tape, await trustOf(input))
    const folder = named ? {} : { cwd: recorded.folder }
    await runProgram({ command, mode: 'record', tape: out, settings: { command }, ...folder })
    return { doubt: null, children: null }
  }
  const { replayProgram } = await import('../replay-program.ts')
  const trust = await trustOf(input)
  const { report } = await replayProgram({
    tape,
    command: input.arguments,
    trust,
    mode,
    speed: 0,
    emit: out,
    wall: input.options.wall !== false,
  })
  const { replayChildren } = await import('../replay-tree.ts')
  const { replayedChildren } = await import('../compare-children.ts')
  const tree = await replayChildren(tape, report, { trust, mode, speed: 0 })
  const children = replayedChildren(tree)
  if (report.verdict === 'faithful') return { doubt: null, children }
  const doubt = `replay ${report.verdict}: ${report.divergences[0]?.message.split('\n')[0] ?? report.reasons[0] ?? 'see reprise replay'}`
  return { doubt, children }
}

async function chosenFormat(
  input: CommandInput,
): Promise<'text' | 'json' | 'junit' | 'github' | 'markdown' | undefined> {
  const { parseFormat } = await import('../../fidelity/index.ts')
  const named = textOption(input, 'format')
  const format = named === undefined ? undefined : parseFormat(named)
  if (!flagOption(input, 'json')) return format
  if (format !== undefined && format !== 'json')
    throw new RepriseError('usage', `--json and --format ${format} contradict each other`, {
      hint: 'give one of them',
    })
  return 'json'
}
