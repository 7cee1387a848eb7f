/** `reprise repair <tape> --out FILE`: saves what is whole into a new file and says what was lost. */
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const repair: Command = {
  name: 'repair',
  arguments: '<tape>',
  help: 'save what is whole of a damaged tape into a new file',
  options: [
    { flags: '--out <file>', help: 'the new tape', required: true },
    { flags: '--force', help: 'replace an existing file' },
    { flags: '--json', help: 'one JSON document on stdout' },
  ],
  async run(input) {
    const { repairTape } = await import('../../tape/repair.ts')
    const path = input.arguments[0] ?? ''
    const report = await repairTape(path, textOption(input, 'out') ?? '', { force: flagOption(input, 'force') })
    if (flagOption(input, 'json')) {
      input.output.json(report)
      return EXIT.fine
    }
    const { output } = input
    output.line(`${report.out}: ${report.records} records saved, ${report.recovered} of them out of damaged lines`)
    for (const { line, bytes, reason } of report.lost) output.line(`  lost: line ${line}, ${bytes} bytes: ${reason}`)
    if (report.moreLost > 0) output.line(`  lost: ${report.moreLost} more lines`)
    for (const { hash, reason } of report.lostPayloads) output.line(`  lost: payload ${hash}: ${reason}`)
    if (!report.sealKept) output.line('  the new tape has no seal: what was sealed is not what is left')
    return EXIT.fine
  },
}
