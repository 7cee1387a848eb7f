/**
 * Files read and written whole. A read is recorded with its bytes. A write is recorded with the whole content
 * that the file has afterwards, also if something was only appended.
 *
 * Decision 0101.
 */
import type { Answer, Session } from '../session.ts'
import { outputOf } from '../stdio/written-by-descriptor.ts'
import type { Names } from './call-errors.ts'
import { writeOptions } from './call-options.ts'
import type { Call } from './calls.ts'
import type { Describe } from './described.ts'
import { describeCall, encodingOf, isCapturedFile, namedFile, namesOf, optionOf } from './described.ts'
import { contentNow } from './file-access.ts'
import type { SessionFiles } from './files-of-session.ts'
import { appendedFrom, type LargeAppend, largeSize, placeOf } from './large-append.ts'
import type { NamedFile } from './portable-paths.ts'
import { AS_TEXT } from './quick-reads.ts'
import { isInput, outputNamed } from './whose-file.ts'

export const describeReadFile: Describe = (files, args, callee) => {
  const [target, options] = args
  if (!hasKnownEncoding(options)) return null
  const opened = typeof target === 'number' ? files.open.get(target) : undefined
  const file = opened?.file ?? namedFile(files, target)
  if (file === null || (typeof target === 'number' && opened === undefined)) return null
  if (opened === undefined && !isCapturedFile(files, file, false, callee)) return null
  return readFileCall(files, file, target, options)
}

/** `target` is what the real function reads: a name or a descriptor. */
function readFileCall(files: SessionFiles, file: NamedFile, target: unknown, options: unknown): Call {
  return new ReadFileCall(files, file, target, options)
}

/** The most frequent of all calls. */
class ReadFileCall implements Call {
  readonly name = 'readFile'
  readonly isSimple = true
  readonly path: string
  readonly key: string
  readonly args: readonly unknown[]
  readonly signal: AbortSignal | undefined
  readonly #files: SessionFiles
  readonly #file: NamedFile
  readonly #encoding: string | null

  constructor(files: SessionFiles, file: NamedFile, target: unknown, options: unknown) {
    const flag = optionOf(options, 'flag')
    this.path = file.portable
    this.key = `readFile ${file.portable}`
    this.signal = signalOf(options)
    this.#files = files
    this.#file = file
    this.#encoding = encodingOf(options)
    // Node reads text faster than bytes.
    const isText =
      this.#encoding === 'utf8' && flag === undefined && typeof target !== 'number' && !isInput(file.absolute)
    this.args = isText ? [target, AS_TEXT] : flag === undefined ? [target] : [target, { flag }]
  }

  get names(): Names {
    return namesOf(this.#files, this.#file)
  }

  answer(value: unknown): Answer {
    const bytes = bytesOf(value, null)
    if (typeof value !== 'string') return { type: 'file_read', path: this.path, bytes }
    // A replacement character for bytes that are not text: the original bytes are only on the disk.
    if (!value.includes('\ufffd')) return { type: 'file_read', path: this.path, bytes, text: value }
    return {
      type: 'file_read',
      path: this.path,
      bytes: contentNow(this.#files.session, this.#file.absolute) ?? bytes,
    }
  }

  value(answer: Answer): unknown {
    if (
      answer.type === 'file_read' &&
      answer.text !== undefined &&
      (this.#encoding === 'utf8' || this.#encoding === 'utf-8')
    )
      return answer.text
    return this.recorded(contentOf(answer))
  }

  recorded(value: unknown): unknown {
    if (typeof value === 'string') return value
    const bytes = bytesOf(value, null)
    return this.#encoding === null ? ownBuffer(bytes) : textOf(bytes, this.#encoding)
  }
}

export function describeWriteFile(name: 'writeFile' | 'appendFile'): Describe {
  return (files, args, callee) => {
    const [target, data, options] = args
    const opened = typeof target === 'number' ? files.open.get(target) : undefined
    const file = opened?.file ?? namedFile(files, target)
    if (!isContent(data) || !hasKnownEncoding(options)) return null
    const output =
      opened === undefined ? (outputOf(target) ?? (file === null ? null : outputNamed(file.absolute))) : null
    if (output !== null)
      return describeCall(files, name, [], args, { output, sent: () => bytesOf(data, encodingOf(options)) })
    if (file === null || (typeof target === 'number' && opened === undefined)) return null
    if (opened === undefined && !isCapturedFile(files, file, true, callee)) return null
    if (opened !== undefined)
      return opened.writeCall(name, [target, data, options], bytesOf(data, encodingOf(options)))
    const flag = optionOf(options, 'flag')
    const adds =
      name === 'appendFile'
        ? flag === undefined || String(flag).startsWith('a')
        : typeof flag === 'string' && /^(?:a|r\+)/.test(flag)
    return writeFileCall(files, name, file, [target, data, options], bytesOf(data, encodingOf(options)), adds)
  }
}

function writeFileCall(
  files: SessionFiles,
  name: string,
  file: NamedFile,
  args: readonly unknown[],
  bytes: Uint8Array,
  adds: boolean,
): Call {
  return describeCall(files, name, [file], args, {
    also: writeOptions(files, args[2], name === 'appendFile' ? 'a' : 'w'),
    answer: () => ({
      type: 'file_write',
      path: file.portable,
      ...writtenTo(files, file.absolute, bytes, adds),
    }),
    value: () => undefined,
    sent: adds ? (recorded, from) => withEnd(recorded, from, bytes) : () => bytes,
    passedBytes: () => (adds ? { bytes, from: 0 } : { bytes }),
    signal: signalOf(args[2]),
  })
}

/** What a call has written. `adds`: the bytes were added to what the file had. */
function writtenTo(
  { session, appended }: SessionFiles,
  absolute: string,
  bytes: Uint8Array,
  adds: boolean,
): Omit<Extract<Answer, { readonly type: 'file_write' }>, 'type' | 'path'> {
  if (!adds) {
    appended.forget(absolute)
    return { bytes }
  }
  const grown = session.recordsWholeAppends === true ? null : appended.grownBy(absolute, bytes)
  if (grown !== null) return grown
  const large = largeEnd(session, absolute, bytes)
  if (large !== null) {
    if ('pieces' in large) appended.recorded(absolute, large.from + bytes.byteLength)
    return large
  }
  const whole = contentNow(session, absolute)
  if (whole === null) return { bytes }
  const ending = endingWith(whole, bytes)
  // Not the piece alone: then the content before it is not known.
  if (ending.from > 0 || whole.byteLength === bytes.byteLength)
    appended.recorded(absolute, ending.bytes.byteLength)
  return ending
}

/** The same for a large file; null for any other. */
function largeEnd(
  session: Session,
  absolute: string,
  piece: Uint8Array,
): LargeAppend | { readonly bytes: Uint8Array; readonly from: number } | null {
  const size = largeSize(session, absolute)
  if (size === null) return null
  const at = placeOf(session, absolute, size, piece)
  return at === null ? { bytes: piece, from: 0 } : appendedFrom(session, absolute, at, at + piece.byteLength)
}

/**
 * The content of a file up to the end of the appended piece. Other pieces may follow already: parallel calls
 * append to the same file.
 */
function endingWith(
  whole: Uint8Array,
  piece: Uint8Array,
): { readonly bytes: Uint8Array; readonly from: number } {
  const at = viewOf(whole).lastIndexOf(viewOf(piece))
  // The file was replaced or truncated since: the content before the piece is not known.
  if (at < 0) return { bytes: piece, from: 0 }
  return { bytes: whole.subarray(0, at + piece.byteLength), from: at }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Bytes at the end of the earlier content: the program did not write the part before them. */
export function withEnd(recorded: Uint8Array, from: number, end: Uint8Array): Uint8Array {
  return Buffer.concat([recorded.subarray(0, from), end])
}

export function contentOf(answer: Answer): Uint8Array {
  return answer.type === 'file_read' || answer.type === 'file_write' ? answer.bytes : new Uint8Array()
}

export function isContent(data: unknown): data is string | NodeJS.ArrayBufferView {
  return typeof data === 'string' || ArrayBuffer.isView(data)
}

export function bytesOf(data: unknown, encoding: string | null): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, isEncoding(encoding) ? encoding : 'utf8')
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array()
}

/** Calls that Node rejects are left to it. */
export function hasKnownEncoding(options: unknown): boolean {
  const encoding = encodingOf(options)
  return encoding === null || Buffer.isEncoding(encoding)
}

function textOf(bytes: Uint8Array, encoding: string): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    isEncoding(encoding) ? encoding : 'utf8',
  )
}

function isEncoding(encoding: string | null): encoding is BufferEncoding {
  return encoding !== null && Buffer.isEncoding(encoding)
}

function ownBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : viewOf(bytes)
}

export function signalOf(options: unknown): AbortSignal | undefined {
  const signal = optionOf(options, 'signal')
  return signal instanceof AbortSignal ? signal : undefined
}
