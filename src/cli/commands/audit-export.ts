/** `reprise audit export --format otlp|csv <file>`: a session for other tools, on stdout or in a file. */
import { type Command, type CommandInput, flagOption, forceOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { type OpenOutput, openOutput } from '../write-output.ts'
import { oneOf } from './audit.ts'
import { damageNotes } from './audit-damage.ts'

const formats = ['otlp', 'csv'] as const

export const auditExport: Command = {
  name: 'audit export',
  arguments: '<file>',
  help: 'write a session as OpenTelemetry GenAI spans (OTLP JSON) or CSV',
  options: [
    { flags: '--format <format>', help: 'otlp or csv', required: true },
    { flags: '--out <file>', help: 'where it goes; stdout if left out' },
    forceOption,
  ],
  async run(input) {
    const { auditLabel, oneLog } = await import('../../journal/audit-place.ts')
    const path = oneLog(input.arguments[0] ?? '')
    const label = auditLabel(path)
    const format = oneOf(input, 'format', formats)
    const { openAuditInput } = await import('../../journal/audit-input.ts')
    const notes = damageNotes(input.output)
    const { entries } = await openAuditInput(path, notes.listen)
    const { write, close } = await sink(input)
    try {
      const whole =
        format === 'csv' ? await exportCsv(entries, write) : await exportOtlp(label, entries, write)
      notes.finish(label, whole)
    } finally {
      close()
    }
    return EXIT.fine
  },
}

type Entries = Awaited<ReturnType<typeof import('../../journal/audit-input.ts')['openAuditInput']>>['entries']

async function exportCsv(entries: Entries, write: OpenOutput['write']): Promise<number> {
  const { csvHeader, csvRow } = await import('../../journal/exporters/csv.ts')
  let whole = 0
  await write(`${csvHeader}\r\n`)
  for await (const batch of entries) {
    whole += batch.length
    await write(batch.map((entry) => `${csvRow(entry)}\r\n`).join(''))
  }
  return whole
}

async function exportOtlp(path: string, entries: Entries, write: OpenOutput['write']): Promise<number> {
  const [{ createSpans }, { basename }] = await Promise.all([
    import('../../journal/exporters/otlp.ts'),
    import('node:path'),
  ])
  const spans = await createSpans(basename(path).replace(/\.[^.]+$/, ''))
  let whole = 0
  for await (const batch of entries) {
    whole += batch.length
    for (const entry of batch) spans.add(entry)
  }
  await write(`${JSON.stringify(spans.document())}\n`)
  return whole
}

async function sink(input: CommandInput): Promise<OpenOutput> {
  const out = textOption(input, 'out')
  if (out !== undefined) return openOutput(out, { isNew: !flagOption(input, 'force') })
  return { write: async (text) => input.output.raw(text), close: () => undefined }
}
