/**
 * `reprise audit import --from <format> <in> --out <file>`: a foreign log as a journal, with a map of what
 * became of its records.
 */
import { RepriseError } from '../../errors/index.ts'
import type { ImportMap } from '../../journal/importers/log-importer.ts'
import { foreignFormats } from '../../journal/input/formats.ts'
import { type Command, type CommandInput, flagOption, forceOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { oneOf } from './audit.ts'
import { damageNotes } from './audit-damage.ts'

export const auditImport: Command = {
  name: 'audit import',
  arguments: '<in>',
  help: 'turn a foreign log into a journal',
  options: [
    { flags: '--from <format>', help: foreignFormats.join(', '), required: true },
    { flags: '--out <file>', help: 'where the journal goes', required: true },
    forceOption,
    { flags: '--json', help: 'the map as one JSON document on stdout' },
  ],
  tapes: 'first',
  async run(input) {
    const path = input.arguments[0] ?? ''
    const out = textOption(input, 'out') ?? ''
    const format = oneOf(input, 'from', foreignFormats)
    if (format === undefined)
      throw new RepriseError('usage', '--from is missing', { hint: `one of ${foreignFormats.join(', ')}` })
    const [{ importLog }, { importToFile }, { openFile }, { createScrubber }, { fs, realEnv }] =
      await Promise.all([
        import('../../journal/importers/import-log.ts'),
        import('../../journal/import-file.ts'),
        import('../../tape/reader.ts'),
        import('../../scrub/index.ts'),
        import('../../real/index.ts'),
      ])
    // Refuses what is not there, or no file, before anything is made.
    fs.closeSync(openFile(path))
    const notes = damageNotes(input.output)
    const map = await importToFile(importLog(format, path, notes.listen), out, {
      force: flagOption(input, 'force'),
      scrubber: createScrubber({ env: realEnv }),
    })
    notes.finish(path, map.events)
    if (flagOption(input, 'json'))
      input.output.json({ from: format, out, ...map, damaged: notes.found.count })
    else print(input, out, map)
    return EXIT.fine
  },
}

function print({ output }: CommandInput, out: string, map: ImportMap): void {
  output.line(
    `${out}: ${map.events} events from ${map.records} records${map.duplicates > 0 ? `, ${map.duplicates} duplicates left out` : ''}`,
  )
  for (const { type, as, count } of map.kept)
    output.line(`  kept      ${String(count).padStart(6)}  ${type} -> ${as.join(', ')}`)
  for (const { type, reason, count } of map.unmapped)
    output.line(`  unmapped  ${String(count).padStart(6)}  ${type}: ${reason}`)
}
