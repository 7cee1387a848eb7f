/**
 * Saves what is whole of a damaged tape into a new file. Never touches the old one.
 *
 * Whole lines are copied as they are, numbers and all: nothing is renumbered, so a hole stays visible as a
 * jump of `seq`. Records inside a damaged line (two lines glued together, NUL bytes in front) are taken out
 * of it. If anything was lost or moved, the seal no longer holds and is left out: a repaired tape is
 * reported as unsealed.
 *
 * Decision 0005.
 */
import { type ContentHash, JsonScanError, scanJson } from '../base/index.ts'
import { isRepriseError } from '../errors/index.ts'
import type { Scrubbed } from '../scrub/index.ts'
import { fromDisk } from '../scrub/scrubbed.ts'
import { createCasWriter, readCasEntry } from './cas.ts'
import { copyCassette } from './cassettes-folder.ts'
import { type Damage, recordFromText, type TapeEvent } from './parser.ts'
import { casReferences } from './payload.ts'
import { readTapeEvents } from './reader.ts'
import type { TapeRecord } from './record.ts'
import { TapeWriter } from './writer.ts'

export type LostLine = { readonly line: number; readonly bytes: number; readonly reason: string }

export type RepairReport = {
  readonly out: string
  /** Records in the new tape, the seal not counted. */
  readonly records: number
  /** Records taken out of damaged lines. */
  readonly recovered: number
  /** Lines, or parts of lines, that could not be saved. */
  readonly lost: readonly LostLine[]
  /** Lost lines beyond the listed ones. */
  readonly moreLost: number
  /** Payloads that are missing or are not what they are named for. */
  readonly lostPayloads: readonly { readonly hash: string; readonly reason: string }[]
  readonly sealKept: boolean
}

export async function repairTape(
  path: string,
  out: string,
  options: { readonly force?: boolean } = {},
): Promise<RepairReport> {
  const lost: LostLine[] = []
  let moreLost = 0
  const addLost = (line: LostLine): void => {
    if (lost.length < MAX_LISTED) lost.push(line)
    else moreLost += 1
  }
  const payloads = payloadCopier(path, out)
  let writer: TapeWriter | null = null
  let records = 0
  let recovered = 0
  let intact = true
  let sealKept = false

  const keep = (record: TapeRecord, text: string): void => {
    for (const reference of casReferences(record.kind))
      payloads.copy(reference.contentHash, reference.lenBytes)
    if (record.kind.kind === 'terminal_session') copyCassette(path, record.kind.cassette, out)
    writer?.copy(fromDisk(record), fromDisk(text))
    records += 1
  }

  for (const event of readTapeEvents(path)) {
    switch (event.type) {
      case 'header':
        writer = TapeWriter.openCopy(out, fromDisk(event.text), options)
        break
      case 'torn':
        intact = false
        addLost({ line: event.line, bytes: event.bytes, reason: 'cut off while it was written' })
        break
      case 'damage': {
        intact = false
        const found = recordsInside(event)
        for (const { record, text } of found) keep(record, text)
        recovered += found.length
        if (found.length === 0 || !foundAll(event, found)) addLost(lostPart(event.damage, found))
        break
      }
      case 'record':
        if (event.record.kind.kind !== 'tape_seal') keep(event.record, event.text)
        else if (intact) {
          writer?.copy(fromDisk(event.record), fromDisk(event.text))
          sealKept = true
        }
    }
  }
  if (writer === null) throw new Error('a tape without header was not refused')
  writer.abandon()
  if (writer.failure !== null) throw writer.failure
  return { out, records, recovered, lost, moreLost, lostPayloads: payloads.lost, sealKept }
}

const MAX_LISTED = 1000

type Found = { readonly record: Scrubbed<TapeRecord>; readonly text: string }

/**
 * Looks for whole records in a damaged line: value after value, past NUL bytes and rubbish that does not
 * start a record.
 */
function recordsInside(event: Extract<TapeEvent, { type: 'damage' }>): Found[] {
  const { text } = event
  const found: Found[] = []
  if (text === null || event.damage.code === 'tape-after-seal') return found
  let left = MOST_SCANNED * text.length
  for (let at = text.indexOf(RECORD_START); at >= 0 && left > 0; at = text.indexOf(RECORD_START, at)) {
    const { end, scanned } = valueEnd(text, at)
    left -= scanned
    const candidate = end === null ? null : recordFromText(text.slice(at, end))
    // A seal inside a damaged line seals nothing any more.
    if (end !== null && candidate !== null && candidate.kind.kind !== 'tape_seal')
      found.push({ record: fromDisk(candidate), text: text.slice(at, end) })
    at = end ?? at + 1
  }
  return found
}

const RECORD_START = '{"type":"record"'
/**
 * A line of unfinished records in each other would be scanned once for each of them. After this many times
 * its length the rest of the line counts as lost.
 */
const MOST_SCANNED = 8

type ScannedValue = { readonly end: number | null; readonly scanned: number }

function valueEnd(text: string, at: number): ScannedValue {
  try {
    const end = scanJson(text, () => undefined, at)
    return { end, scanned: end - at }
  } catch (error) {
    if (error instanceof JsonScanError) return { end: null, scanned: error.offset - at }
    throw error
  }
}

/** True if the line held nothing but the records found, white space and NUL bytes. */
function foundAll(event: Extract<TapeEvent, { type: 'damage' }>, found: readonly Found[]): boolean {
  const line = event.text ?? ''
  let at = 0
  for (const { text } of found) {
    const start = line.indexOf(text, at)
    if (!isFiller(line.slice(at, start))) return false
    at = start + text.length
  }
  return isFiller(line.slice(at))
}

function isFiller(text: string): boolean {
  return text.replaceAll('\0', '').trim() === ''
}

function lostPart(damage: Damage, found: readonly Found[]): LostLine {
  const saved = found.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return { line: damage.line, bytes: damage.bytes - saved, reason: damage.reason }
}

function payloadCopier(
  path: string,
  out: string,
): { readonly lost: { hash: string; reason: string }[]; copy(hash: ContentHash, lenBytes: number): void } {
  const cas = createCasWriter(out, 'os')
  const lost: { hash: string; reason: string }[] = []
  return {
    lost,
    copy(hash, lenBytes) {
      try {
        const bytes = readCasEntry(path, hash, lenBytes)
        cas.put(hash, fromDisk(bytes))
      } catch (error) {
        if (!isRepriseError(error)) throw error
        if (lost.length < MAX_LISTED && !lost.some((entry) => entry.hash === hash))
          lost.push({ hash, reason: error.code })
      }
    },
  }
}
