/**
 * Mends the damaged end of a journal before the next append, under the lock: whole records in it are kept,
 * each on a line of its own, what is no record is cut out. Never silently: the original bytes go to
 * `<session>.repairs.jsonl` first, so a crash at any point loses nothing, and the caller gets a report.
 *
 * Decision 0053.
 */
import { faultPoint, textOrNull } from '../../base/index.ts'
import { dateFrom, fs, now } from '../../real/index.ts'
import { looksLikeEntry } from './entry-line.ts'
import { createLineReader } from './read-lines.ts'
import { type LineDamage, recoverLine } from './recover-line.ts'
import type { SessionFiles } from './session-files.ts'
import { isWholeLine, type TailState } from './tail-state.ts'

export type Repair = {
  readonly at: string
  /** Of the first repaired byte, in the file as it was. */
  readonly offset: number
  readonly reason: LineDamage | 'no-newline'
  /** Whole records that stay. */
  readonly kept: number
  /** Bytes that were cut out. */
  readonly removed: number
}

/** Repairs `[tail.badSince, tail.end)`. The caller reads the tail again afterwards. */
export function repairTail(
  files: SessionFiles,
  tail: TailState & { readonly badSince: number },
  sync: boolean,
): Repair {
  const handle = fs.openSync(files.log, 'r+')
  try {
    const damaged = readRange(handle, tail.badSince, tail.end)
    const previous = lineBefore(handle, tail.badSince)
    const { reason, records } = recoverAll(damaged)
    // A crash between the two writes below can leave a record twice: once mended, once still behind its
    // damage.
    const kept = records.filter((text, index) => text !== (index === 0 ? previous : records[index - 1]))
    const mended = Buffer.from(kept.map((text) => `${text}\n`).join(''), 'utf8')
    const repair: Repair = {
      at: dateFrom(now()).toISOString(),
      offset: tail.badSince,
      reason,
      kept: kept.length,
      removed: Math.max(0, damaged.byteLength - mended.byteLength),
    }
    writeSidecar(files, repair, damaged, sync)
    faultPoint('journal:repair-noted')
    for (let at = 0; at < mended.byteLength; )
      at += fs.writeSync(handle, mended, at, mended.byteLength - at, tail.badSince + at)
    faultPoint('journal:repair-written')
    fs.ftruncateSync(handle, tail.badSince + mended.byteLength)
    if (sync) fs.fsyncSync(handle)
    return repair
  } finally {
    fs.closeSync(handle)
  }
}

function recoverAll(damaged: Buffer): {
  readonly reason: Repair['reason']
  readonly records: readonly string[]
} {
  const whole = damaged.includes(0x0a) ? null : textOrNull(damaged)
  if (whole !== null && isWholeLine(whole)) return { reason: 'no-newline', records: [whole] }
  const records: string[] = []
  let reason: LineDamage = 'torn'
  const reader = createLineReader(0, ({ text, problem }) => {
    if (text === null) reason = problem ?? reason
    else if (isWholeLine(text)) records.push(text)
    else if (text.trim() !== '') {
      const recovered = recoverLine(text, looksLikeEntry)
      reason = recovered.damage
      records.push(...recovered.records.map((record) => record.text))
    }
  })
  reader.push(damaged)
  reader.end()
  return { reason, records }
}

function writeSidecar(files: SessionFiles, repair: Repair, damaged: Buffer, sync: boolean): void {
  const handle = fs.openSync(files.repairs, 'a', 0o600)
  try {
    fs.writeSync(handle, `${JSON.stringify({ ...repair, bytes: damaged.toString('base64') })}\n`)
    if (sync) fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

function readRange(handle: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from)
  let at = 0
  while (at < bytes.byteLength) {
    const read = fs.readSync(handle, bytes, at, bytes.byteLength - at, from + at)
    if (read === 0) break
    at += read
  }
  return bytes.subarray(0, at)
}

/**
 * The text of the line that ends just before `offset`; a line longer than the window cannot equal a record of
 * the damaged end.
 */
function lineBefore(handle: number, offset: number): string {
  const window = readRange(handle, Math.max(0, offset - 1024 * 1024), offset)
  const end = window.byteLength - 1
  return end < 0 ? '' : window.subarray(window.lastIndexOf(0x0a, end - 1) + 1, end).toString('utf8')
}
