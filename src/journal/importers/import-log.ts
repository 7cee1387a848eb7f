/**
 * Opens a foreign log and gives its session events as they are found, in batches, with the map of what became
 * of its records. Damaged logs are read as far as they are whole: torn, glued and NUL-filled lines are handed
 * to `onDamage`, what is whole in them is imported.
 */
import { isObject, type UnknownObject } from '../../base/index.ts'
import { readTape } from '../../tape/reader.ts'
import type { DamageListener } from '../file/read-journal.ts'
import { type ForeignFormat, formatOf } from '../input/formats.ts'
import { readValues } from '../input/read-values.ts'
import { createClaudeCodeImporter } from './claude-code.ts'
import { createCodexImporter } from './codex.ts'
import type { ImportedEvent, ImportMap, LogImporter } from './log-importer.ts'
import { createOpenAiAgentsImporter } from './openai-agents.ts'
import { createTapeImporter } from './tape.ts'

export type ImportedLog = {
  readonly events: AsyncIterable<readonly ImportedEvent[]>
  /** Complete once all events have been taken. */
  map(): ImportMap
}

const importers: Readonly<Record<Exclude<ForeignFormat, 'tape'>, () => LogImporter>> = {
  'claude-code': createClaudeCodeImporter,
  codex: createCodexImporter,
  'openai-agents': createOpenAiAgentsImporter,
}

export function importLog(format: ForeignFormat, path: string, onDamage: DamageListener): ImportedLog {
  if (format === 'tape') return importTape(path, onDamage)
  const importer = importers[format]()
  return { events: importRecords(importer, format, path, onDamage), map: importer.map }
}

async function* importRecords(
  importer: LogImporter,
  format: ForeignFormat,
  path: string,
  onDamage: DamageListener,
): AsyncGenerator<readonly ImportedEvent[]> {
  const isRecord = (value: unknown): value is UnknownObject =>
    isObject(value) && (formatOf(value) === format || typeof value.type === 'string')
  for await (const values of readValues(
    path,
    (value) => isObject(value) && formatOf(value) === format,
    onDamage,
  )) {
    const events = values.filter(isRecord).flatMap((value) => importer.push(value))
    if (events.length > 0) yield events
  }
  const rest = importer.end()
  if (rest.length > 0) yield rest
}

function importTape(path: string, onDamage: DamageListener): ImportedLog {
  const importer = createTapeImporter(path)
  return { events: tapeEvents(), map: importer.map }
  async function* tapeEvents(): AsyncGenerator<readonly ImportedEvent[]> {
    for await (const event of readTape(path)) {
      switch (event.type) {
        case 'header':
          yield importer.header(event.header)
          break
        case 'record':
          yield importer.record(event.record)
          break
        case 'damage': {
          const { line, offset, bytes, reason } = event.damage
          onDamage({ path, line, offset, bytes, reason: 'not-json', recovered: 0, detail: reason })
          break
        }
        case 'torn':
          onDamage({
            path,
            line: event.line,
            offset: event.offset,
            bytes: event.bytes,
            reason: 'torn',
            recovered: 0,
            detail: null,
          })
          break
      }
    }
  }
}
