/** `reprise audit <file>`: what a session did. A showing command: prints what is whole, names damage on stderr, exits 0. */
import { RepriseError } from '../../errors/index.ts'
import type { FoldOptions } from '../../journal/snapshot/os-snapshot.ts'
import { type Command, type CommandInput, flagOption, integerOption, jsonOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { damageNotes } from './audit-damage.ts'
import { unknownValueNotes } from './audit-unknown.ts'

export const audit: Command = {
  name: 'audit',
  arguments: '<file>',
  help: 'show what a session did: snapshot, process tree, time line',
  options: [
    { flags: '--at <seq>', help: 'as it was just after this event' },
    { flags: '--view <view>', help: 'base (the snapshot alone) or extended, the default' },
    { flags: '--compat <version>', help: 'form of the snapshot: base (0.2.5, with its fault) or newest (0.2.60); default: as the log' },
    jsonOption,
  ],
  async run(input) {
    const path = input.arguments[0] ?? ''
    const view = oneOf(input, 'view', ['base', 'extended']) ?? 'extended'
    const compat = oneOf(input, 'compat', ['base', 'newest'])
    const options: FoldOptions = compat === undefined ? {} : { compat }
    const upTo = integerOption(input, 'at') ?? Number.POSITIVE_INFINITY
    const [{ openAuditInput }, { createFold }, { createExtendedView }] = await Promise.all([
      import('../../journal/audit-input.ts'),
      import('../../journal/snapshot/fold.ts'),
      import('../../journal/view/extended-view.ts'),
    ])
    const notes = damageNotes(input.output)
    const unknown = unknownValueNotes(input.output, path)
    const base = createFold(options)
    const extended = view === 'extended' ? createExtendedView() : null
    const { entries } = await openAuditInput(path, notes.listen)
    let whole = 0
    for await (const batch of entries) {
      whole += batch.length
      for (const entry of batch) {
        unknown.add(entry)
        if (entry.seq > upTo) continue
        base.add(entry.event)
        extended?.add(entry)
      }
    }
    notes.finish(path, whole)
    unknown.finish()
    await print(input, base.snapshot(), extended?.view() ?? null)
    return EXIT.fine
  },
}

async function print(
  input: CommandInput,
  snapshot: import('../../journal/snapshot/os-snapshot.ts').OsSnapshot,
  view: import('../../journal/view/extended-view.ts').ExtendedView | null,
): Promise<void> {
  const { output } = input
  if (flagOption(input, 'json')) {
    const { extendedViewJson } = await import('../../journal/view/extended-view.ts')
    output.json(view === null ? snapshot : { ...extendedViewJson(view), os_snapshot: snapshot })
    return
  }
  const { baseReport, extendedReport } = await import('../../journal/view/report.ts')
  for (const line of view === null ? baseReport(snapshot) : extendedReport(view)) output.line(line)
}

export function oneOf<const V extends string>(input: CommandInput, name: string, values: readonly V[]): V | undefined {
  const text = textOption(input, name)
  if (text === undefined) return undefined
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  throw new RepriseError('usage', `--${name} takes ${values.join(' or ')}, not ${JSON.stringify(text)}`, { hint: 'see reprise audit --help' })
}
