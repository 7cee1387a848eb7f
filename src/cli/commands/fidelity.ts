/** `reprise fidelity <recorded> <replay>`: are the two runs the same? A judging command: exits 2 on a divergence, or where it cannot be said. */
import { RepriseError } from '../../errors/index.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { writeReport } from '../write-report.ts'

export const fidelity: Command = {
  name: 'fidelity',
  arguments: '<recorded> <replay>',
  help: 'compare two tapes, record by record',
  options: [
    { flags: '--mode <mode>', help: 'byte-identical, semantic (default), outcome or phase-aware' },
    { flags: '--align <how>', help: 'lcs: pair records by content (default); position: the first with the first' },
    { flags: '--format <format>', help: 'text (default), json, junit, github or markdown' },
    { flags: '--json', help: 'the same as --format json' },
    { flags: '--report <file>', help: 'write the report to a file (as JSON unless --format says otherwise)' },
    { flags: '--budget <category=n>', help: 'allow this many of a category; may be given more than once', repeat: true },
    { flags: '--verify-payloads', help: 'hash every payload again instead of trusting its hash' },
  ],
  async run(input) {
    const [recordedName = '', replayName = ''] = input.arguments
    const { compareTapes, formatReport, judge, parseAlignment, parseBudget, parseMode } = await import('../../fidelity/index.ts')
    const mode = parseMode(textOption(input, 'mode') ?? 'semantic')
    const align = parseAlignment(textOption(input, 'align') ?? 'lcs')
    const budget = parseBudget(listOption(input, 'budget'))
    const format = await chosenFormat(input)
    const file = textOption(input, 'report')
    const report = await compareTapes(recordedName, replayName, mode, { align, verifyPayloads: flagOption(input, 'verifyPayloads') })
    const judgement = judge(report, budget)
    const presented = { report, judgement, recordedName, replayName }
    if (file !== undefined) await writeReport(file, formatReport(format ?? 'json', presented), [recordedName, replayName])
    const shown = flagOption(input, 'json') ? 'json' : file === undefined ? (format ?? 'text') : 'text'
    const text = formatReport(shown, presented)
    input.output.raw(text.endsWith('\n') ? text : `${text}\n`)
    return judgement.passed ? EXIT.fine : EXIT.finding
  },
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
