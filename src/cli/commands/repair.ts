/** `reprise repair <tape> --out FILE`: writes the whole records to a new file and reports what was lost. */
import type { RepairReport } from '../../tape/repair.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  forceOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'

export const repair: Command = {
  name: 'repair',
  arguments: '<tape>',
  help: 'save what is whole of a damaged tape into a new file',
  options: [{ flags: '--out <file>', help: 'the new tape', required: true }, forceOption, jsonOption],
  tapes: 'first',
  async run(input) {
    const { repairTape } = await import('../../tape/repair.ts')
    const path = input.arguments[0] ?? ''
    const { isCassette } = await import('../../cassette/files/read-folder.ts')
    if (isCassette(path)) return repairCassetteAndPrint(input, path)
    const { childTapes, copyPath } = await import('../../tape/children-folder.ts')
    const { prepareCopy } = await import('../../tape/copy-tree.ts')
    const out = textOption(input, 'out') ?? ''
    const force = flagOption(input, 'force')
    const tree = childTapes(path)
    if (tree.length > 0) prepareCopy(path, out, force)
    const report = await repairTape(path, out, { force: force && tree.length === 0 })
    const children: RepairReport[] = []
    for (const child of tree) children.push(await repairTape(child.path, copyPath(out, child)))
    if (flagOption(input, 'json')) {
      input.output.json(children.length === 0 ? report : { ...report, children })
      return EXIT.fine
    }
    for (const each of [report, ...children]) printReport(input, each)
    return EXIT.fine
  },
}

function printReport({ output }: CommandInput, report: RepairReport): void {
  output.line(
    `${report.out}: ${report.records} records saved, ${report.recovered} of them out of damaged lines`,
  )
  for (const { line, bytes, reason } of report.lost)
    output.line(`  lost: line ${line}, ${bytes} bytes: ${reason}`)
  if (report.moreLost > 0) output.line(`  lost: ${report.moreLost} more lines`)
  for (const { hash, reason } of report.lostPayloads) output.line(`  lost: payload ${hash}: ${reason}`)
  if (!report.sealKept) output.line('  the new tape has no seal: what was sealed is not what is left')
}

async function repairCassetteAndPrint(input: CommandInput, path: string): Promise<number> {
  const { repairCassette } = await import('../../cassette/index.ts')
  const report = await repairCassette(path, textOption(input, 'out') ?? '', {
    force: flagOption(input, 'force'),
  })
  if (flagOption(input, 'json')) {
    input.output.json(report)
    return EXIT.fine
  }
  input.output.line(
    `${report.out}: ${report.events} events and ${report.bytes} bytes saved, marked incomplete`,
  )
  for (const { file, line, reason } of report.lost)
    input.output.line(`  lost: ${file} line ${line}: ${reason}`)
  if (!report.finalKept) input.output.line('  how the program ended is not known')
  if (!report.manifestKept)
    input.output.line('  what ran, and on which size of terminal, is not known: 24 by 80 is assumed')
  return EXIT.fine
}
