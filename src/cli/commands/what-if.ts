/**
 * `reprise what-if <tape> --set 'SEQ=EDIT'`: runs a recorded program with other outcomes than the recorded
 * ones, and reports what it does differently. Exits as the program; 2 if the run was ended because the
 * program requested something that is not recorded.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, type CommandInput, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { liveOptions, travelOptions } from '../travel-options.ts'

export const whatIf: Command = {
  name: 'what-if',
  arguments: '<tape> [cmd...]',
  help: 'replay with other outcomes and report what the program does differently',
  options: [
    {
      flags: '--set <seq=edit>',
      help: 'what record SEQ delivers instead, as JSON: 12={"status":500}; may be given more than once',
      repeat: true,
    },
    { flags: '--edits <file>', help: 'a JSON file with edits: [{"seq":12,"edit":{"status":500}}]' },
    {
      flags: '--then <how>',
      help: 'what is not recorded: refuse (default) ends the run, nearest gives the closest recorded response, live llm,mcp goes on live',
    },
    ...liveOptions,
    ...travelOptions,
  ],
  tapes: 'first',
  failure: EXIT.reprise,
  async run(input) {
    const travel = await import('../travel-program.ts')
    const [tape = '', ...rest] = input.arguments
    const { misses, live, command } = await thenOf(input, rest)
    const edits = await editsOf(input, tape)
    const travelled = await travel.travelProgram(input, {
      name: 'what-if',
      tape,
      command,
      at: null,
      misses,
      live,
      env: travel.pairsOf(listOption(input, 'env'), 'env'),
      models: travel.pairsOf(listOption(input, 'modelMap'), 'model-map'),
      files: travel.filesOf(input, live),
      edits: JSON.stringify(edits),
    })
    const { output } = input
    const { report } = travelled
    if (!report.sealed && !report.foreign)
      output.note(
        `${tape} has no end: what the recorded run did after its last record is not on it`,
        'warning',
      )
    for (const words of travelled.travel.edits) output.note(`what if ${words}`)
    if (travelled.travel.stage === 'tape') {
      output.note('the run never came to an edited record: nothing was changed', 'warning')
      if (report.verdict === 'diverged')
        for (const { message } of report.divergences.slice(0, 5)) output.note(`  ${message}`)
    } else travel.printDifferences(output, travelled.travel)
    travel.printRefusals(output, travelled.travel)
    output.note(`the run is on ${travelled.named}; compare: reprise view ${tape} ${travelled.named}`)
    await travel.reportTravel(input, travelled)
    return travel.travelExit(travelled)
  },
}

type Then = {
  readonly misses: 'refuse' | 'nearest' | 'live'
  readonly live: readonly import('../../testbench/sources/live-set.ts').LiveName[]
  readonly command: readonly string[]
}

/** `--then live llm,mcp`, `--then "live llm,mcp"` and `--then live:llm,mcp` are the same. */
async function thenOf(input: CommandInput, rest: readonly string[]): Promise<Then> {
  const { liveOf } = await import('../travel-program.ts')
  const [how = '', ...names] = (textOption(input, 'then') ?? 'refuse').split(/[\s:]+/)
  if ((how === 'refuse' || how === 'nearest') && names.length === 0)
    return { misses: how, live: [], command: rest }
  if (how !== 'live')
    throw new RepriseError('usage', `--then takes refuse, nearest or live, not ${JSON.stringify(how)}`, {
      hint: 'as: --then live llm,mcp',
    })
  if (names.length > 0) return { misses: 'live', live: liveOf(names), command: rest }
  const [first, ...command] = rest
  if (first === undefined)
    throw new RepriseError('usage', '--then live needs what is live', { hint: 'as: --then live llm,mcp' })
  return { misses: 'live', live: liveOf([first]), command }
}

/** Checked against the tape before anything runs. */
async function editsOf(input: CommandInput, tape: string) {
  const { resolve } = await import('node:path')
  const { parseEdits, parseSet } = await import('../../testbench/edits/edit.ts')
  const { editTape } = await import('../../testbench/edits/edit-tape.ts')
  const { readTextFile } = await import('../read-text-file.ts')
  const file = textOption(input, 'edits')
  const edits = [
    ...(file === undefined ? [] : parseEdits(await readTextFile(file), file)),
    ...listOption(input, 'set').map(parseSet),
  ]
  if (edits.length === 0)
    throw new RepriseError('usage', 'there is nothing to change: give --set or --edits', {
      hint: `reprise what-if ${tape} --set '12={"status":500}'; see docs/format/edits.md`,
    })
  editTape(resolve(tape), edits)
  return edits
}
