/**
 * `reprise fork <tape> --at SEQ --live llm,…`: runs a recorded program exactly up to record SEQ, and goes on
 * live at the named boundaries; every other is refused. Exits as the program.
 */
import { RepriseError } from '../../errors/index.ts'
import { type Command, flagOption, listOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { liveOptions, travelOptions } from '../travel-options.ts'

export const fork: Command = {
  name: 'fork',
  arguments: '<tape> [cmd...]',
  help: 'run a program exactly up to a record, and go on live from there',
  options: [
    { flags: '--at <seq>', help: 'the last record that comes from the tape' },
    {
      flags: '--live <names>',
      help: 'what is live after it: llm, network, mcp, process, files or all, separated by commas',
      repeat: true,
    },
    ...liveOptions,
    { flags: '--apply', help: 'show what the run changed, and write it to the folder of the program' },
    ...travelOptions,
  ],
  tapes: 'first',
  failure: EXIT.reprise,
  async run(input) {
    const travel = await import('../travel-program.ts')
    const [tape = '', ...command] = input.arguments
    const at = recordOf(textOption(input, 'at'))
    const live = travel.liveOf(listOption(input, 'live'))
    if (live.length === 0)
      throw new RepriseError('usage', 'nothing is live: give --live', { hint: 'as: --live llm' })
    if (flagOption(input, 'apply') && flagOption(input, 'json'))
      throw new RepriseError('usage', '--apply prints a diff: it does not go with --json', {
        hint: 'use --report FILE for the report',
      })
    const travelled = await travel.travelProgram(input, {
      name: 'fork',
      tape,
      command,
      at,
      misses: 'live',
      live,
      env: travel.pairsOf(listOption(input, 'env'), 'env'),
      models: travel.pairsOf(listOption(input, 'modelMap'), 'model-map'),
      files: travel.filesOf(input, live),
      edits: null,
    })
    const { output } = input
    const { report } = travelled
    if (travelled.travel.stage === 'live') output.note(`live after record ${at}: ${live.join(', ')}`)
    else {
      output.note(`the run never came to record ${at}: nothing was live`, 'warning')
      if (report.verdict === 'diverged')
        for (const { message } of report.divergences.slice(0, 5)) output.note(`  ${message}`)
    }
    travel.printRefusals(output, travelled.travel)
    output.note(`the run is on ${travelled.named}; compare: reprise view ${tape} ${travelled.named}`)
    await travel.reportTravel(input, travelled)
    const exit = travel.travelExit(travelled)
    if (!flagOption(input, 'apply')) return exit
    const { applyTape } = await import('./apply.ts')
    const applied = await applyTape(input, travelled.named, travelled.root, { yes: true, force: false })
    return exit === EXIT.fine ? applied : exit
  },
}

function recordOf(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
  throw new RepriseError('usage', text === undefined ? 'give --at SEQ' : `--at ${text} is no record number`, {
    hint: 'reprise inspect <tape> shows the numbers',
  })
}
