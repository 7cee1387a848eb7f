/**
 * `reprise audit tail [-f] <file>`: the newest events of a journal, and with -f those that come, until
 * interrupted.
 */

import type { JournalEntry } from '../../journal/events/journal.ts'
import { type Command, type CommandInput, flagOption, integerOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { damageNotes } from './audit-damage.ts'

export const auditTail: Command = {
  name: 'audit tail',
  arguments: '<file>',
  help: 'show the newest events of a journal, and follow it',
  options: [
    { flags: '-f, --follow', help: 'go on with what comes, until interrupted' },
    { flags: '-n, --lines <n>', help: 'how many of the newest events to begin with (10)' },
    { flags: '--json', help: 'entries as they are in the journal, one per line' },
  ],
  async run(input) {
    const { oneLog } = await import('../../journal/audit-place.ts')
    const { isDatabase } = await import('../../journal/postgres/place.ts')
    const path = oneLog(input.arguments[0] ?? '')
    const lines = integerOption(input, 'lines') ?? 10
    const [{ openAuditInput, filesOf }, { followFiles }] = await Promise.all([
      import('../../journal/audit-input.ts'),
      import('../../journal/file/follow.ts'),
    ])
    const notes = damageNotes(input.output)
    const { entries, format } = await openAuditInput(path, notes.listen)
    let newest: JournalEntry[] = []
    let lastSeq = -1
    for await (const batch of entries) {
      newest = [...newest, ...batch].slice(-lines || Number.POSITIVE_INFINITY)
      lastSeq = Math.max(lastSeq, batch.at(-1)?.seq ?? -1)
    }
    for (const entry of lines === 0 ? [] : newest) print(input, entry)
    if (!flagOption(input, 'follow') || format !== 'journal' || isDatabase(path)) return EXIT.fine
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    process.stdout.once('error', () => stop.abort())
    for await (const entry of followFiles(filesOf(path), {
      fromSeq: lastSeq + 1,
      signal: stop.signal,
      onDamage: notes.listen,
    }))
      print(input, entry)
    return EXIT.fine
  },
}

function print(input: CommandInput, { seq, event }: JournalEntry): void {
  if (flagOption(input, 'json')) input.output.raw(`${JSON.stringify({ seq, event })}\n`)
  else {
    const { kind, ...fields } = event
    input.output.line(
      `${String(seq).padStart(6)}  ${kind.padEnd(24)} ${JSON.stringify(fields).slice(0, 300)}`,
    )
  }
}
