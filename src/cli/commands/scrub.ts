/**
 * `reprise scrub <tape> --out FILE | --check`: a cleaned copy, or only the judgement. Judging exits 2 on a
 * leak.
 */
import { RepriseError } from '../../errors/index.ts'
import type { ScrubTapeReport } from '../../tape/scrub-tape.ts'
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
        hint: 'see reprise scrub --help',
      })
    const { isCassette } = await import('../../cassette/files/read-folder.ts')
    if (isCassette(input.arguments[0] ?? '')) return scrubCassetteAndPrint(input, input.arguments[0] ?? '')
    const { childTapes, copyPath } = await import('../../tape/children-folder.ts')
    const { prepareCopy } = await import('../../tape/copy-tree.ts')
    const path = input.arguments[0] ?? ''
    const force = flagOption(input, 'force')
    const tree = childTapes(path)
    if (out !== undefined && tree.length > 0) prepareCopy(path, out, force)
    const children: ChildReport[] = []
    // Children first: the seal of a copy names the seals of its children's copies.
    for (const child of tree.reverse()) {
      const copy = out === undefined ? null : copyPath(out, child)
      children.unshift({ name: child.name, ...(await scrubOne(child.path, copy)) })
    }
    const report = await scrubOne(path, out ?? null, force && tree.length === 0)
    const found = children.reduce((sum, child) => sum + child.found, report.found)
    if (flagOption(input, 'json'))
      input.output.json({ ok: found === 0, ...report, ...(children.length === 0 ? {} : { children }) })
    else {
      for (const child of children) {
        printPlaces(input, child, `${child.name}: `)
        if (child.found > 0) input.output.line(`child ${child.name}: ${child.found} secrets`)
      }
      printPlaces(input, report, '')
      input.output.line(
        `${path}: ${found === 0 ? 'no secret found' : `${found} secrets ${check ? 'found' : `replaced in ${out}`}`}`,
      )
    }
    return check && found > 0 ? EXIT.finding : EXIT.fine
  },
}

type ChildReport = ScrubTapeReport & { readonly name: string }

async function scrubOne(path: string, out: string | null, force = false): Promise<ScrubTapeReport> {
  const { scrubTape } = await import('../../tape/scrub-tape.ts')
  const { createScrubber } = await import('../../scrub/index.ts')
  const { realEnv } = await import('../../real/process.ts')
  const { scrubCassetteOf } = await import('../../testbench/terminal/tape-cassettes.ts')
  const { requestOfToday } = await import('../../testbench/llm/request-of-today.ts')
  return scrubTape(path, out, () => createScrubber({ env: realEnv }), {
    force,
    terminal: (kind, scrubber) => scrubCassetteOf(path, out, kind, scrubber),
    requestOfToday,
  })
}

function printPlaces(input: CommandInput, report: ScrubTapeReport, prefix: string): void {
  for (const { line, seq, found } of report.places)
    input.output.line(`${prefix}line ${line}${seq === null ? '' : `, record ${seq}`}: ${found} found`)
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
