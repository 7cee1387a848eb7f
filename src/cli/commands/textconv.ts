/**
 * `reprise textconv <tape>`: a tape as text for `git diff`: header, then one line per record, without numbers
 * and times, so that only what differs shows. Damage is a line of its own.
 */
import { fieldsOf, parseJson } from '../../base/index.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../output.ts'

/** Change with every run. */
const VOLATILE = new Set(['type', 'seq', 'started_at_unix_ms', 'virtual_time_ms', 'monotonic_ms'])

export const textconv: Command = {
  name: 'textconv',
  arguments: '<tape>',
  help: 'print a tape as text for git diff: one line per record, without numbers and times',
  options: [],
  tapes: 'first',
  async run(input) {
    const { readTapeEvents } = await import('../../tape/reader.ts')
    const [path = ''] = input.arguments
    const { line } = input.output
    for (const event of readTapeEvents(path)) {
      switch (event.type) {
        case 'header':
          line('header')
          for (const [name, value] of membersOf(event.text)) line(`  ${name} ${JSON.stringify(value)}`)
          break
        case 'record':
          // The seal covers every byte, so it differs whenever anything does.
          if (event.record.kind.kind !== 'tape_seal') line(recordLine(event.text))
          break
        case 'damage':
          line(`damaged line: ${event.damage.reason}`)
          break
        case 'torn':
          line(`the last line is cut off after ${event.bytes} bytes`)
          break
      }
    }
    return EXIT.fine
  },
}

function membersOf(text: string): [string, unknown][] {
  return Object.entries(fieldsOf(parseJson(text))).filter(([name]) => !VOLATILE.has(name))
}

/** `clock_read {"source":"date"}`. */
function recordLine(text: string): string {
  const { kind, ...rest } = Object.fromEntries(membersOf(text))
  const { kind: name, ...fields } = Object.fromEntries(Object.entries(kind ?? {}))
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `${String(name)} ${JSON.stringify(fields)}${more}`
}
