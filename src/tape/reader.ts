/**
 * Reads a tape as it stands on disk, event by event. Memory does not grow with the tape: one chunk and one unfinished line are held.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { TapeHeader } from './header.ts'
import { createTapeParser, type TapeEvent } from './parser.ts'

const CHUNK_BYTES = 256 * 1024

/** Every event of the tape at `path`, damage included; only a header that cannot be used is thrown. */
export function* readTapeEvents(path: string): Generator<TapeEvent, void, undefined> {
  for (const events of readTapeBatches(path)) yield* events
}

/** The same, many at a time: for whoever goes through all of them at once, and has no use for a generator's pace. */
export function* readTapeBatches(path: string): Generator<readonly TapeEvent[], void, undefined> {
  const parser = createTapeParser(path)
  for (const chunk of readChunks(path)) yield parser.push(chunk)
  yield parser.end()
}

/** The header alone. */
export function readHeader(path: string): TapeHeader {
  for (const event of readTapeEvents(path)) if (event.type === 'header') return event.header
  throw new Error('a tape without header was not refused')
}

/** As `readTapeEvents`, giving way to other work between chunks: for use inside a running program. */
export async function* readTape(path: string): AsyncGenerator<TapeEvent, void, undefined> {
  const parser = createTapeParser(path)
  for (const chunk of readChunks(path)) {
    yield* parser.push(chunk)
    await null
  }
  yield* parser.end()
}

/** The bytes of the file, in chunks of which each is good until the next is asked for. */
export function* readChunks(path: string, upTo = Number.POSITIVE_INFINITY): Generator<Buffer, void, undefined> {
  const descriptor = openFile(path)
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    for (let left = upTo; left > 0; ) {
      const read = readSome(descriptor, buffer, Math.min(buffer.length, left), path)
      if (read === 0) return
      left -= read
      yield buffer.subarray(0, read)
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Opens a regular file for reading, and nothing else: a folder, a pipe or a device is refused with a code instead of hanging. */
export function openFile(path: string): number {
  let descriptor: number
  try {
    descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
  const stat = fs.fstatSync(descriptor)
  if (stat.isFile()) return descriptor
  fs.closeSync(descriptor)
  const what = stat.isDirectory() ? 'a folder' : 'not a regular file'
  throw new RepriseError('not-a-file', `cannot read ${path}: it is ${what}`, { details: { path }, hint: 'name a tape file' })
}

function readSome(descriptor: number, buffer: Buffer, length: number, path: string): number {
  try {
    return fs.readSync(descriptor, buffer, 0, length, null)
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
}
