/**
 * `reprise scrub <tape> --out FILE | --check`: a cleaned copy, or only the judgement. Judging exits 2 on a
 * leak.
 */
import { RepriseError } from '../../errors/index.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  forceOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'

export const scrub: Command = {
  name: 'scrub',
  arguments: '<tape>',
  help: 'write a copy of a tape without secrets, or check that it holds none',
  options: [
    { flags: '--out <file>', help: 'the cleaned copy' },
    { flags: '--check', help: 'write nothing; exit 2 if a secret is found' },
    forceOption,
    jsonOption,
  ],
  tapes: 'first',
  async run(input) {
    const out = textOption(input, 'out')
    const check = flagOption(input, 'check')
    if ((out === undefined) !== check)
      throw new RepriseError('usage', 'scrub takes either --out FILE or --check', {
        hint: 'see reprise --help',
      })
    const { isCassette } = await import('../../cassette/files/read-folder.ts')
    if (isCassette(input.arguments[0] ?? '')) return scrubCassetteAndPrint(input, input.arguments[0] ?? '')
    const { scrubTape } = await import('../../tape/scrub-tape.ts')
    const { createScrubber } = await import('../../scrub/index.ts')
    const { realEnv } = await import('../../real/process.ts')
    const path = input.arguments[0] ?? ''
    const { scrubCassetteOf } = await import('../../testbench/terminal/tape-cassettes.ts')
    const report = await scrubTape(path, out ?? null, () => createScrubber({ env: realEnv }), {
      force: flagOption(input, 'force'),
      terminal: (kind, scrubber) => scrubCassetteOf(path, out ?? null, kind, scrubber),
    })
    if (flagOption(input, 'json')) input.output.json({ ok: report.found === 0, ...report })
    else {
      for (const { line, seq, found } of report.places)
        input.output.line(`line ${line}${seq === null ? '' : `, record ${seq}`}: ${found} found`)
      input.output.line(
        `${path}: ${report.found === 0 ? 'no secret found' : `${report.found} secrets ${check ? 'found' : `replaced in ${out}`}`}`,
      )
    }
    return check && report.found > 0 ? EXIT.finding : EXIT.fine
  },
}

async function scrubCassetteAndPrint(input: CommandInput, path: string): Promise<number> {
  const { scrubCassette } = await import('../../cassette/index.ts')
  const check = flagOption(input, 'check')
  const out = textOption(input, 'out')
  const report = await scrubCassette(path, {
    check,
    force: flagOption(input, 'force'),
    ...(out === undefined ? {} : { out }),
  })
  if (flagOption(input, 'json')) input.output.json({ ok: report.clean, ...report })
  else {
    const where = report.found.join(', ')
    input.output.line(
      `${path}: ${report.clean ? 'no secret found' : check ? `secrets found in ${where}` : `secrets in ${where}, masked in ${report.out}`}`,
    )
  }
  return check && !report.clean ? EXIT.finding : EXIT.fine
}
