/**
 * `reprise audit <file>`: what a session did. A showing command: prints what is whole, names damage on
 * stderr, exits 0.
 */
import { RepriseError } from '../../errors/index.ts'
import type { FoldOptions } from '../../journal/snapshot/os-snapshot.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  integerOption,
  jsonOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'
import { damageNotes } from './audit-damage.ts'
import { unknownValueNotes } from './audit-unknown.ts'

export const audit: Command = {
  name: 'audit',
  arguments: '<file>',
  help: 'show what a session did: snapshot, process tree, time line; of a file, a folder or postgres://…#session',
  options: [
    { flags: '--at <seq>', help: 'as it was just after this event' },
    { flags: '--view <view>', help: 'base (the snapshot alone) or extended, the default' },
    {
      flags: '--compat <version>',
      help: 'form of the snapshot: base (0.2.5, with its fault) or newest (0.2.60); default: as the log',
    },
    jsonOption,
  ],
  async run(input) {
    const view = oneOf(input, 'view', ['base', 'extended']) ?? 'extended'
    const compat = oneOf(input, 'compat', ['base', 'newest'])
    const options: FoldOptions = compat === undefined ? {} : { compat }
    const upTo = integerOption(input, 'at') ?? Number.POSITIVE_INFINITY
    const { emptyFolder, logsIn } = await import('../../journal/audit-place.ts')
    const [named = ''] = input.arguments
    const logs = logsIn(named)
    if (logs?.length === 0) throw emptyFolder(named)
    const documents: unknown[] = []
    for (const path of logs ?? [named]) {
      if (logs !== null && logs.length > 1 && !flagOption(input, 'json'))
        for (const line of [...(documents.length === 0 ? [] : ['']), path]) input.output.line(line)
      documents.push(await show(input, path, view, options, upTo))
    }
    if (flagOption(input, 'json'))
      input.output.json(logs === null || logs.length === 1 ? documents[0] : documents)
    return EXIT.fine
  },
}

/** Prints one session; with --json, gives its document. */
async function show(
  input: CommandInput,
  path: string,
  view: 'base' | 'extended',
  options: FoldOptions,
  upTo: number,
): Promise<unknown> {
  const [{ openAuditInput }, { auditLabel }, { createFold }, { createExtendedView }] = await Promise.all([
    import('../../journal/audit-input.ts'),
    import('../../journal/audit-place.ts'),
    import('../../journal/snapshot/fold.ts'),
    import('../../journal/view/extended-view.ts'),
  ])
  const label = auditLabel(path)
  const notes = damageNotes(input.output)
  const unknown = unknownValueNotes(input.output, label)
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
  notes.finish(label, whole)
  unknown.finish()
  return present(input, base.snapshot(), extended?.view() ?? null)
}

async function present(
  input: CommandInput,
  snapshot: import('../../journal/snapshot/os-snapshot.ts').OsSnapshot,
  view: import('../../journal/view/extended-view.ts').ExtendedView | null,
): Promise<unknown> {
  const { output } = input
  if (flagOption(input, 'json')) {
    const { extendedViewJson } = await import('../../journal/view/extended-view.ts')
    return view === null ? snapshot : { ...extendedViewJson(view), os_snapshot: snapshot }
  }
  const { baseReport, extendedReport } = await import('../../journal/view/report.ts')
  for (const line of view === null ? baseReport(snapshot) : extendedReport(view)) output.line(line)
  return null
}

export function oneOf<const V extends string>(
  input: CommandInput,
  name: string,
  values: readonly V[],
): V | undefined {
  const text = textOption(input, name)
  if (text === undefined) return undefined
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  throw new RepriseError('usage', `--${name} takes ${values.join(' or ')}, not ${JSON.stringify(text)}`, {
    hint: 'see reprise audit --help',
  })
}
