/** `reprise fidelity <recorded> <replay>`: are the two runs the same? A judging command: exits 2 on a divergence, or where it cannot be said. */
import { resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { FidelityMode } from '../../fidelity/index.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { writeReport } from '../write-report.ts'

export const fidelity: Command = {
  name: 'fidelity',
  arguments: '[tapes-or-command...]',
  help: 'compare two tapes, or (with --against) a tape with a replay of it, record by record',
  options: [
    { flags: '--against <tape>', help: 'run the command after -- from this tape and compare; without a command, the recorded one' },
    { flags: '--live', help: 'with --against: run against the real world instead, to see what has drifted' },
    { flags: '--mode <mode>', help: 'byte-identical, semantic (default), outcome or phase-aware' },
    { flags: '--align <how>', help: 'lcs: pair records by content (default); position: the first with the first' },
    { flags: '--format <format>', help: 'text (default), json, junit, github or markdown' },
    { flags: '--json', help: 'the same as --format json' },
    { flags: '--report <file>', help: 'write the report to a file (as JSON unless --format says otherwise)' },
    { flags: '--budget <category=n>', help: 'allow this many of a category; may be given more than once', repeat: true },
    { flags: '--verify-payloads', help: 'hash every payload again instead of trusting its hash' },
  ],
  async run(input) {
    const { compareTapes, formatReport, judge, parseAlignment, parseBudget, parseMode } = await import('../../fidelity/index.ts')
    const { applyReplayPolicy, toleratedAlone } = await import('../../fidelity/replay-policy.ts')
    const mode = parseMode(textOption(input, 'mode') ?? 'semantic')
    const align = parseAlignment(textOption(input, 'align') ?? 'lcs')
    const budget = parseBudget(listOption(input, 'budget'))
    const format = await chosenFormat(input)
    const file = textOption(input, 'report')
    const sides = await sidesOf(input, mode)
    const [recordedName, replayName] = sides.paths
    const options = { align, verifyPayloads: flagOption(input, 'verifyPayloads') }
    const tolerant = sides.isReplay ? { ...options, toleratedAlone: toleratedAlone(mode) } : options
    const compared = await compareTapes(recordedName, replayName, mode, tolerant)
    const report = sides.isReplay ? applyReplayPolicy(compared) : compared
    sides.clean()
    const judgement = judge(report, budget)
    const presented = { report, judgement, recordedName, replayName }
    if (file !== undefined) await writeReport(file, formatReport(format ?? 'json', presented), [recordedName, replayName])
    const shown = flagOption(input, 'json') ? 'json' : file === undefined ? (format ?? 'text') : 'text'
    const text = formatReport(shown, presented)
    input.output.raw(text.endsWith('\n') ? text : `${text}\n`)
    const { tolerated = 0 } = report
    if (tolerated > 0) input.output.note(`${tolerated} difference(s) that a replay may have are not counted`)
    if (sides.doubt !== null) input.output.note(sides.doubt)
    return judgement.passed && sides.doubt === null ? EXIT.fine : EXIT.finding
  },
}

type Sides = {
  readonly paths: readonly [recorded: string, replay: string]
  /** What the replay itself found, in a few words; null if nothing, or if there was none. */
  readonly doubt: string | null
  /** Whether the second tape is that of a replay of the first. */
  readonly isReplay: boolean
  clean(): void
}

/** The two tapes to compare; the second is made by running the program where `--against` asks for it. */
async function sidesOf(input: CommandInput, mode: FidelityMode): Promise<Sides> {
  const against = textOption(input, 'against')
  if (against === undefined) {
    const [recorded, replay, ...more] = input.arguments
    if (recorded === undefined || replay === undefined || more.length > 0) {
      throw new RepriseError('usage', 'fidelity takes two tapes, or --against <tape> -- <command>', { hint: 'see reprise --help' })
    }
    return { paths: [recorded, replay], doubt: null, isReplay: false, clean: () => undefined }
  }
  const { fs } = await import('../../real/fs.ts')
  const { realTmpdir } = await import('../../real/process.ts')
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-fidelity-`)
  const clean = (): void => fs.rmSync(folder, { recursive: true, force: true })
  const emitted = `${folder}/again.tape`
  try {
    const doubt = await makeSecond(input, resolve(against), emitted, mode)
    return { paths: [against, emitted], doubt, isReplay: !flagOption(input, 'live'), clean }
  } catch (error) {
    clean()
    throw error
  }
}

async function makeSecond(input: CommandInput, tape: string, out: string, mode: FidelityMode): Promise<string | null> {
  if (flagOption(input, 'live')) {
    const { runProgram } = await import('../run-program.ts')
    await runProgram({ command: input.arguments, mode: 'record', tape: out, settings: { command: input.arguments } })
    return null
  }
  const { replayProgram } = await import('../replay-program.ts')
  const { report } = await replayProgram({ tape, command: input.arguments, mode, speed: 0, emit: out })
  if (report.verdict === 'faithful') return null
  return `replay ${report.verdict}: ${report.divergences[0]?.message.split('\n')[0] ?? report.reasons[0] ?? 'see reprise replay'}`
}

async function chosenFormat(input: CommandInput): Promise<'text' | 'json' | 'junit' | 'github' | 'markdown' | undefined> {
  const { parseFormat } = await import('../../fidelity/index.ts')
  const named = textOption(input, 'format')
  const format = named === undefined ? undefined : parseFormat(named)
  if (!flagOption(input, 'json')) return format
  if (format !== undefined && format !== 'json')
    throw new RepriseError('usage', `--json and --format ${format} contradict each other`, { hint: 'give one of them' })
  return 'json'
}
