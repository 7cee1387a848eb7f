/**
 * Reads a tape from disk, event by event. Memory does not grow with the tape: one chunk and one
 * unfinished line are held.
 */
import { fromSystemError, RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import type { TapeHeader } from './header.ts'
import { createTapeParser, type TapeEvent, type TapePlace } from './parser.ts'

const CHUNK_BYTES = 256 * 1024
/** Most headers fit into one such chunk. */
const HEADER_BYTES = 4 * 1024

type ReadListener = (path: string, readBytes: number, totalBytes: number) => void

let listener: ReadListener | null = null

/** Calls `listen` after each chunk of any tape that is read in this process: the progress of a command. */
export function onTapeRead(listen: ReadListener): void {
  listener = listen
}

/** Every event of the tape at `path`, damage included; only a header that cannot be used is thrown. */
export function* readTapeEvents(path: string): Generator<TapeEvent, void, undefined> {
  // Not `yield*`, which makes two more objects for each event.
  for (const events of readTapeBatches(path)) for (const event of events) yield event
}

/**
 * The same, many at a time: a caller that goes through all of them saves the steps of a generator. `onChunk`
 * gets the bytes before their events, and the place of the first line that ends in them. `from`: only what
 * follows there. `keepsText`: the caller keeps the text of every event.
 */
export function* readTapeBatches(
  path: string,
  onChunk?: (chunk: Buffer, place: TapePlace) => void,
  from?: TapePlace,
  keepsText = false,
): Generator<readonly TapeEvent[], void, undefined> {
  const parser = createTapeParser(path, from, keepsText)
  for (const chunk of readChunks(path, Number.POSITIVE_INFINITY, CHUNK_BYTES, from?.offset)) {
    onChunk?.(chunk, parser.place())
    yield parser.push(chunk)
  }
  yield parser.end()
}

/** The header alone. */
export function readHeader(path: string): TapeHeader {
  const parser = createTapeParser(path)
  const headerIn = (events: readonly TapeEvent[]): TapeHeader | undefined =>
    events.find((event) => event.type === 'header')?.header
  for (const chunk of readChunks(path, Number.POSITIVE_INFINITY, HEADER_BYTES)) {
    // The first line alone: records behind it are not decoded.
    const end = chunk.indexOf('\n') + 1 || chunk.length
    const header = headerIn(parser.push(chunk.subarray(0, end))) ?? headerIn(parser.push(chunk.subarray(end)))
    if (header !== undefined) return header
  }
  const header = headerIn(parser.end())
  if (header === undefined) throw new Error('a tape without header was not refused')
  return header
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

/** The bytes of the file, in chunks; each is valid until the next one is requested. */
export function* readChunks(
  path: string,
  upTo = Number.POSITIVE_INFINITY,
  chunkBytes = CHUNK_BYTES,
  from = 0,
): Generator<Buffer, void, undefined> {
  const descriptor = openFile(path)
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes)
    const total = listener === null ? 0 : Math.min(upTo, fs.fstatSync(descriptor).size)
    for (let done = from; done < upTo; ) {
      const read = readSome(descriptor, buffer, Math.min(buffer.length, upTo - done), path, done)
      if (read === 0) return
      done += read
      listener?.(path, done, total)
      yield buffer.subarray(0, read)
    }
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * Opens a regular file for reading, and nothing else: a folder, a pipe or a device is refused with a code
 * instead of hanging.
 */
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
  throw notAFile(path, stat.isDirectory() ? 'it is a folder' : 'it is not a regular file')
}

/**
 * The first bytes of a regular file, at most `mostBytes`. Refuses a file that has content but no size: files
 * of `/proc` are like that, and some of them have no end.
 */
export function readHead(path: string, mostBytes: number): Buffer {
  const descriptor = openFile(path)
  try {
    const buffer = Buffer.alloc(mostBytes)
    const read = readSome(descriptor, buffer, mostBytes, path, 0)
    // After reading: a file that was empty may have grown.
    if (read > 0 && fs.fstatSync(descriptor).size === 0) throw notAFile(path, 'it is not a regular file')
    return buffer.subarray(0, read)
  } finally {
    fs.closeSync(descriptor)
  }
}

function notAFile(path: string, reason: string): RepriseError {
  return new RepriseError('not-a-file', `cannot read ${path}: ${reason}`, {
    details: { path },
    hint: 'name a tape file',
  })
}

function readSome(descriptor: number, buffer: Buffer, length: number, path: string, at: number): number {
  try {
    return fs.readSync(descriptor, buffer, 0, length, at)
  } catch (error) {
    throw fromSystemError(error, 'read', path)
  }
}
