/**
 * Follows a session as it grows: what is there, then every new entry once its line is whole, across rotations
 * and repairs, until the signal fires.
 *
 * A file is known by its inode, so a rotated part is read on where the log was left. Woken by the file
 * system's notifications on the folder, and by a slow clock besides, because some file systems do not notify.
 */
import { fs } from '../../real/index.ts'
import { primitiveOfKind } from '../events/category.ts'
import type { FollowOptions, JournalEntry } from '../events/journal.ts'
import { ringOnChange } from './change-bell.ts'
import { decodeLine, journalDecoder } from './decode-lines.ts'
import { openInOrder } from './open-in-order.ts'
import type { DamageListener } from './read-journal.ts'
import { readLinesSync } from './read-lines.ts'
import type { SessionFiles } from './session-files.ts'

export type FileFollowOptions = FollowOptions & { readonly onDamage?: DamageListener }

type Place = { offset: number; lastSeq: number }

export async function* followFiles(
  files: SessionFiles,
  options: FileFollowOptions = {},
): AsyncGenerator<JournalEntry> {
  const { fromSeq = 0, primitive, signal } = options
  const places = new Map<number, Place>()
  /** Parts that have been read to their end: nothing is added to a part. */
  const done = new Set<string>()
  const bell = ringOnChange(files.dir, signal)
  try {
    while (!isAborted(signal)) {
      // Armed before looking, so a change between the look and the wait is not missed.
      const rung = bell.armed()
      let read = 0
      for (const { handle, path, isPart } of openInOrder(files, (part) => done.has(part))) {
        for (const entry of drain(handle, places, options.onDamage)) {
          read += 1
          if (
            entry.seq < fromSeq ||
            (primitive !== undefined && primitiveOfKind(entry.event.kind) !== primitive)
          )
            continue
          yield entry
          if (isAborted(signal)) return
        }
        if (isPart) done.add(path)
      }
      if (read === 0) await rung
    }
  } finally {
    bell.close()
  }
}

/** A call, because a signal changes between two looks and the type checker thinks it does not. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function* drain(
  handle: number,
  places: Map<number, Place>,
  onDamage: DamageListener | undefined,
): Generator<JournalEntry> {
  const { ino, size } = fs.fstatSync(handle)
  const place = places.get(ino) ?? { offset: 0, lastSeq: -1 }
  places.set(ino, place)
  let skipTo = -1
  if (size < place.offset || !endsLine(handle, place.offset)) {
    // A repair changed what was read already: begin again and pass over what has been given out.
    skipTo = place.lastSeq
    place.offset = 0
  }
  for (const line of readLinesSync(handle, place.offset, size)) {
    if (!line.ended) return
    const entries: JournalEntry[] = []
    decodeLine(
      line,
      journalDecoder,
      (entry) => void entries.push(entry),
      (damage) => onDamage?.({ ...damage, path: '' }),
    )
    place.offset = line.offset + line.lengthBytes + 1
    for (const entry of entries) {
      if (entry.seq <= skipTo) continue
      place.lastSeq = Math.max(place.lastSeq, entry.seq)
      yield entry
    }
  }
}

function endsLine(handle: number, offset: number): boolean {
  if (offset === 0) return true
  const byte = Buffer.alloc(1)
  return fs.readSync(handle, byte, 0, 1, offset - 1) === 1 && byte[0] === 0x0a
}
