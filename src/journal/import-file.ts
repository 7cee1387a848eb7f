/**
 * Writes what an importer gives as a journal file: `{"seq","event"}` lines, scrubbed, mode 0600. The file
 * appears whole or not at all: it is written under another name and put in place at the end, and an existing
 * one is kept unless `force` is set.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs, realRandomUuid } from '../real/index.ts'
import type { Scrubber } from '../scrub/index.ts'
import { writableEvent } from './events/writable-event.ts'
import { entryLine } from './file/entry-line.ts'
import type { ImportedLog } from './importers/import-log.ts'
import type { ImportMap } from './importers/log-importer.ts'

const PLAIN = { at: null, chainAfter: null }

export async function importToFile(
  log: ImportedLog,
  out: string,
  options: { readonly force: boolean; readonly scrubber: Scrubber },
): Promise<ImportMap> {
  if (!options.force && fs.existsSync(out)) throw alreadyThere(out)
  const draft = `${out}.${realRandomUuid()}.tmp`
  const handle = openDraft(draft, out)
  let kept = false
  try {
    let seq = 0
    for await (const events of log.events) {
      let text = ''
      for (const event of events) {
        text += entryLine(seq, writableEvent(event, options.scrubber).text, PLAIN).line
        seq += 1
      }
      writeAll(handle, text, out)
    }
    const map = log.map()
    if (map.events === 0) {
      throw new RepriseError('audit-input', 'nothing in the log could be mapped to a session event', {
        hint: 'is it a log of the kind that --from names?',
      })
    }
    putInPlace(draft, out, options.force)
    kept = true
    return map
  } finally {
    fs.closeSync(handle)
    if (!kept) fs.rmSync(draft, { force: true })
  }
}

function openDraft(draft: string, out: string): number {
  try {
    return fs.openSync(draft, 'wx', 0o600)
  } catch (error) {
    throw fromSystemError(error, 'write', out)
  }
}

function writeAll(handle: number, text: string, out: string): void {
  const bytes = Buffer.from(text, 'utf8')
  try {
    for (let at = 0; at < bytes.byteLength; ) at += fs.writeSync(handle, bytes, at)
  } catch (error) {
    throw fromSystemError(error, 'write', out)
  }
}

/** A link refuses a name that is taken, a rename replaces it. */
function putInPlace(draft: string, out: string, force: boolean): void {
  try {
    if (force) fs.renameSync(draft, out)
    else {
      fs.linkSync(draft, out)
      fs.unlinkSync(draft)
    }
  } catch (error) {
    throw fromSystemError(error, 'write', out)
  }
}

function alreadyThere(out: string): RepriseError {
  return new RepriseError('out-exists', `${out} is there already`, {
    details: { path: out },
    hint: 'choose another name, or use --force to replace it',
  })
}
