/**
 * `reprise what-if <tape> --set 'SEQ=EDIT'`: runs a recorded program with other outcomes than the recorded
 * ones, and reports what it does differently. Exits as the program; 2 if the run was ended because the
 * program requested something that is not recorded.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, type CommandInput, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { travelOptions } from '../travel-program.ts'

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
      help: 'what is not recorded: refuse (default) ends the run, nearest gives the closest recorded response',
    },
    ...travelOptions,
  ],
  tapes: 'first',
  failure: EXIT.reprise,
  async run(input) {
    const travel = await import('../travel-program.ts')
    const [tape = '', ...rest] = input.arguments
    const { misses, live, command } = thenOf(input, rest)
    const edits = await editsOf(input, tape)
    const travelled = await travel.travelProgram(input, {
      name: 'what-if',
      tape,
      command,
      at: null,
      misses,
      live,
      env: {},
      edits: JSON.stringify(edits),
    })
    const { output } = input
    const { report } = travelled
    for (const words of travelled.travel.edits) output.note(`what if ${words}`)
    if (travelled.travel.stage === 'tape') {
      output.note('the run never came to an edited record: nothing was changed', 'warning')
      if (report.verdict === 'diverged')
        for (const { message } of report.divergences.slice(0, 5)) output.note(`  ${message}`)
    } else travel.printDifferences(output, travelled.travel)
    travel.printRefusals(output, travelled.travel)
    output.note(`the run is on ${travelled.named}; compare: reprise view ${tape} ${travelled.named}`)
    travel.reportTravel(input, travelled)
    return travel.travelExit(travelled)
  },
}

type Then = {
  readonly misses: 'refuse' | 'nearest' | 'live'
  readonly live: readonly import('../../testbench/sources/live-set.ts').LiveName[]
  readonly command: readonly string[]
}

/** What happens when the program asks for something that is not recorded. */
function thenOf(input: CommandInput, rest: readonly string[]): Then {
  const [how = '', ...names] = (textOption(input, 'then') ?? 'refuse').split(/[\s:]+/)
  if ((how === 'refuse' || how === 'nearest') && names.length === 0)
    return { misses: how, live: [], command: rest }
  if (how !== 'live')
    throw new RepriseError('usage', `--then takes refuse, nearest or live, not ${JSON.stringify(how)}`, {
      hint: 'see reprise what-if --help',
    })
  throw new RepriseError('usage', '--then live is not available yet: the run would use the real files', {
    hint: 'use --then refuse or --then nearest',
  })
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
