/**
 * A file that the program has opened. Its reads are recorded in stretches; its writes are recorded when it is
 * closed, as the whole content or as what was appended. In a replay its descriptor is only the recorded
 * number, and written bytes are kept for the comparison.
 */
import { fileConstants } from '../../real/files.ts'
import type { Answer, Collector, Sent } from '../session.ts'
import { type Call, type CallParts, FILESYSTEM, fsCall, resultOf } from './calls.ts'
import { describeCall } from './described.ts'
import { contentNow, LARGE_BYTES, piecesNow, sizeNow } from './file-access.ts'
import type { OpenedFile, SessionFiles } from './files-of-session.ts'
import { appendedAfter, appendedFrom, endsWith, type LargeAppend, largeSize } from './large-append.ts'
import type { NamedFile } from './portable-paths.ts'
import { withEnd } from './whole-file.ts'
import type { PassedBytes, UnfinishedWrite } from './writes-under-way.ts'

type Written = Omit<Extract<Answer, { readonly type: 'file_write' }>, 'type' | 'path' | 'ends'>
type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly length: number }

export class OpenFile implements OpenedFile {
  readonly file: NamedFile
  readonly #files: SessionFiles
  readonly #truncates: boolean
  readonly #appends: boolean
  #changed: boolean
  #shared = false
  /** In a replay: what the program did to it. */
  readonly #changes: Change[] = []
  /** In a replay: where large content goes, as long as the program writes sequentially from the beginning. */
  #collector: Collector | null = null
  #collectedBytes = 0
  #position = 0
  #appendedBytes = 0
  /**
   * In a recording: what was passed and may not be in the file yet, and the length of a file before something
   * was appended.
   */
  readonly #onItsWay = new Set<{ readonly at: number; readonly bytes: Uint8Array }>()
  #lengthBefore: number | null = null
  /** In a recording: what was appended, while that is little; null if it is not. */
  #appended: Uint8Array[] | null = []
  /** All that this handle can change is the end of the file. */
  #onlyAppends: boolean
  #stretch = 0
  #expected = 0
  /** In a replay: bytes of a read that is longer than in the recording, because a secret was replaced. */
  #pending: Uint8Array = new Uint8Array()

  constructor(files: SessionFiles, file: NamedFile, flags: unknown) {
    this.#files = files
    this.file = file
    const bits = flagBits(flags)
    this.#truncates = (bits & fileConstants.O_TRUNC) !== 0 || (bits & fileConstants.O_EXCL) !== 0
    this.#appends = (bits & fileConstants.O_APPEND) !== 0
    this.#onlyAppends = this.#appends && !this.#truncates
    this.#changed = this.#truncates
  }

  /** Any call with the descriptor. */
  call(name: string, args: readonly unknown[], parts: CallParts = {}): Call {
    return describeCall(this.#files, name, [this.file], args, parts)
  }

  /** Reads into `views`, one after the other. The real function returns the number of bytes. */
  readCall(
    name: string,
    args: readonly unknown[],
    views: readonly Uint8Array[],
    position: number | null,
  ): Call {
    // A read of a new place. One that goes on has no position in its key, whether it names it or not.
    const jumps = position !== null && position !== this.#expected && this.#files.positionsCount
    const { path, ends } = this.#nextRead(position)
    return this.call(name, args, {
      also: jumps ? { at: position } : null,
      answer: (value): Answer => {
        const read = Number(value)
        this.#expected += read
        if (position === null) this.#position += read
        const over =
          read === 0 && ends === undefined ? { ends: this.#stretch } : ends === undefined ? {} : { ends }
        return {
          ...fsCall({ name, path }, read),
          data: gathered(views, read),
          stretch: this.#stretch,
          ...over,
        }
      },
      value: (answer) => {
        const filled = this.#fill(views, answer.type === 'fs_call' ? answer.data : undefined)
        this.#expected += filled
        if (position === null) this.#position += filled
        return filled
      },
    })
  }

  #nextRead(position: number | null): { readonly path: string; readonly ends: number | undefined } {
    const follows = this.#stretch > 0 && (position === null || position === this.#expected)
    if (follows) return { path: this.file.portable, ends: undefined }
    const before = this.#stretch
    this.#stretch = this.#files.nextStretch()
    if (position !== null) this.#expected = position
    return { path: this.file.portable, ends: before > 0 ? before : undefined }
  }

  /** A read that returned nothing when recorded returns nothing again: the program stops reading there. */
  #fill(views: readonly Uint8Array[], data: Uint8Array = new Uint8Array()): number {
    if (data.byteLength === 0) this.#pending = data
    let left: Uint8Array = this.#pending.byteLength === 0 ? data : Buffer.concat([this.#pending, data])
    let filled = 0
    for (const view of views) {
      const part = left.subarray(0, view.byteLength)
      view.set(part)
      filled += part.byteLength
      left = left.subarray(part.byteLength)
    }
    this.#pending = left
    return filled
  }

  /** Writes `bytes`. The real function returns the number of bytes, or nothing if it always writes all. */
  writeCall(name: string, args: readonly unknown[], bytes: Uint8Array, position: number | null = null): Call {
    const change = this.#note(bytes, position)
    return this.call(name, args, {
      answer: (value) => {
        this.#onItsWay.delete(change)
        return fsCall(
          { name, path: this.file.portable },
          value === undefined || value === bytes.byteLength ? null : Number(value),
        )
      },
      value: (answer) => (/File$/.test(name) ? undefined : (resultOf(answer) ?? bytes.byteLength)),
    })
  }

  truncateCall(name: string, args: readonly unknown[], length: number): Call {
    this.#changed = true
    this.#onlyAppends = false
    this.#restore()
    // Further appended bytes follow what is left.
    if (this.#appends) this.#changes.length = 0
    this.#appendedBytes = 0
    this.#appended = []
    this.#lengthBefore = null
    if (!this.#files.session.isLive(FILESYSTEM)) this.#changes.push({ length })
    return this.call(name, args, { also: length })
  }

  share(): void {
    this.#shared = true
    this.#changed = true
    this.#onlyAppends = false
  }

  /** Closing a written file records its content, or what was appended if a record before it has the rest. */
  closeCall(args: readonly unknown[]): Call {
    const { portable } = this.file
    return this.call('close', args, {
      answer: () => {
        const ends = this.#stretch > 0 ? { ends: this.#stretch } : {}
        const written = this.#changed ? this.#writtenNow() : null
        return written === null
          ? { ...fsCall({ name: 'close', path: portable }, null), ...ends }
          : { type: 'file_write', path: portable, ...ends, ...written }
      },
      value: () => undefined,
      ...(this.#shared
        ? {}
        : {
            sent: this.#sent(),
            passedBytes: () => this.#passedBytes(),
          }),
    })
  }

  unfinished(): UnfinishedWrite | null {
    if (!this.#changed || this.#shared || this.file.absolute === '/dev/null') return null
    const { portable } = this.file
    return {
      key: `open ${portable}`,
      path: portable,
      sent: this.#sent(),
      passedBytes: () => this.#passedBytes(),
    }
  }

  /** The content of the file after all pending writes: the system may not have done them yet. */
  #passedBytes(): PassedBytes | null {
    const size = sizeNow(this.#files.session, this.file.absolute)
    const whole =
      size === null || size > MAX_KEPT_CONTENT_BYTES
        ? null
        : contentNow(this.#files.session, this.file.absolute)
    if (whole === null) return null
    const flying = [...this.#onItsWay]
    if (!this.#appends) {
      const content = Buffer.alloc(
        flying.reduce((most, { at, bytes }) => Math.max(most, at + bytes.byteLength), whole.byteLength),
      )
      content.set(whole)
      for (const { at, bytes } of flying) content.set(bytes, at)
      return { bytes: content }
    }
    const from = this.#lengthBefore ?? whole.byteLength
    const there = from + this.#appendedBytes - flying.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
    if (there > whole.byteLength) return null
    return { bytes: Buffer.concat([whole.subarray(0, there), ...flying.map(({ bytes }) => bytes)]), from }
  }

  /** Null if the file is not there any more. */
  #writtenNow(): Written | null {
    const { session, appended } = this.#files
    const { absolute } = this.file
    const own = this.#onlyAppends && this.#appended !== null ? Buffer.concat(this.#appended) : null
    const isPart = own !== null && session.recordsWholeAppends !== true
    const grown = isPart ? appended.grownBy(absolute, own) : null
    if (grown !== null) return grown
    appended.forget(absolute)
    const size = sizeNow(session, absolute)
    const written = this.#large() ?? this.#small()
    // Not if others have appended at the same time: then the record is not what the file contains.
    if (isPart && size !== null && size === (written?.from ?? 0) + own.byteLength)
      appended.recorded(absolute, size)
    return written
  }

  /** What is written, if the file is large: in pieces. */
  #large(): (Partial<LargeAppend> & { readonly bytes: Uint8Array }) | null {
    const { session } = this.#files
    const { absolute } = this.file
    const size = largeSize(session, absolute)
    if (size === null) return null
    if (!this.#appends) return { bytes: new Uint8Array(), pieces: () => piecesNow(session, absolute) }
    const from = Math.max(0, size - this.#appendedBytes)
    const own = this.#appended === null ? null : Buffer.concat(this.#appended)
    if (own === null || endsWith(session, absolute, size, own))
      return appendedFrom(session, absolute, from, size)
    return appendedAfter(session, absolute, Math.min(this.#lengthBefore ?? from, size), own)
  }

  /**
   * What is written, if the file is not large. Other handles may append to the same file at the same time: then
   * only this handle's bytes follow the earlier content.
   */
  #small(): Written | null {
    const whole = contentNow(this.#files.session, this.file.absolute)
    if (whole === null) return null
    if (!this.#appends) return { bytes: whole }
    const from = Math.max(0, whole.byteLength - this.#appendedBytes)
    const own = this.#appended === null ? null : Buffer.concat(this.#appended)
    if (own === null || own.equals(whole.subarray(from))) return { bytes: whole, from }
    const before = Math.min(this.#lengthBefore ?? from, whole.byteLength)
    return { bytes: withEnd(whole, before, own), from: before }
  }

  #note(bytes: Uint8Array, position: number | null): { readonly at: number; readonly bytes: Uint8Array } {
    const isReplay = !this.#files.session.isLive(FILESYSTEM)
    if (!isReplay && this.#appends) this.#lengthBefore ??= sizeNow(this.#files.session, this.file.absolute)
    this.#changed = true
    this.#appendedBytes += bytes.byteLength
    if (!isReplay && this.#appends) this.#keep(bytes)
    const change = { at: position ?? this.#position, bytes: isReplay ? Uint8Array.from(bytes) : bytes }
    if (isReplay) this.#change(change)
    else this.#onItsWay.add(change)
    if (position === null) this.#position += bytes.byteLength
    return change
  }

  #sent(): Sent {
    const sent = (recorded: Uint8Array, from: number): Uint8Array => this.#content(recorded, from)
    return Object.assign(sent, { collected: () => this.#collector })
  }

  #change(change: { readonly at: number; readonly bytes: Uint8Array }): void {
    if (this.#collector !== null && (this.#appends || change.at === this.#collectedBytes)) {
      this.#collector.add(change.bytes)
      this.#collectedBytes += change.bytes.byteLength
      return
    }
    this.#restore()
    this.#changes.push(change)
    if (this.#appendedBytes > LARGE_BYTES) this.#collect()
  }

  /** Moves the content from memory to a collector, if it is written from its beginning on. */
  #collect(): void {
    if (!(this.#truncates || this.#appends) || this.#mixed) return
    let length = 0
    for (const change of this.#changes) {
      this.#mixed ||= !this.#appends && ('length' in change || change.at !== length)
      if ('bytes' in change) length += change.bytes.byteLength
    }
    if (this.#mixed) return
    const collector = this.#files.session.collect?.(this.#appends) ?? null
    if (collector === null) return
    for (const change of this.#changes.splice(0)) if ('bytes' in change) collector.add(change.bytes)
    this.#collector = collector
    this.#collectedBytes = length
  }
  /** Written out of order: the content stays in memory. */
  #mixed = false

  #restore(): void {
    if (this.#collector === null) return
    this.#changes.push({ at: 0, bytes: this.#collector.restore() })
    this.#collector = null
    this.#mixed = true
  }

  #keep(bytes: Uint8Array): void {
    if (this.#appendedBytes > MAX_KEPT_BYTES) this.#appended = null
    else this.#appended?.push(Uint8Array.from(bytes))
  }

  /** The current content of the file. The earlier content is only known from the end of the recorded run. */
  #content(recorded: Uint8Array, from: number): Uint8Array {
    this.#restore()
    const written = this.#changes.flatMap((change) => ('bytes' in change ? [change.bytes] : []))
    if (this.#appends) return withEnd(recorded, from, Buffer.concat(written))
    const base = this.#truncates ? new Uint8Array() : recorded
    const ends = this.#changes.map((change) =>
      'length' in change ? change.length : change.at + change.bytes.byteLength,
    )
    const content = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), base.byteLength))
    content.set(base)
    let length = base.byteLength
    for (const change of this.#changes) {
      if ('length' in change) {
        if (change.length < length) content.fill(0, change.length, length)
        length = change.length
      } else {
        content.set(change.bytes, change.at)
        length = Math.max(length, change.at + change.bytes.byteLength)
      }
    }
    return content.subarray(0, length)
  }
}

/** A file that is left open may be a log of gigabytes. */
const MAX_KEPT_CONTENT_BYTES = 64 * 1024 * 1024

/** The maximum of kept bytes that one handle appends to a file. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

function gathered(views: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = views
  if (first !== undefined && length <= first.byteLength) return Uint8Array.from(first.subarray(0, length))
  return Uint8Array.from(Buffer.concat(views).subarray(0, length))
}

/** `r+`, `wx` and so on as the numbers of the system. */
export function flagBits(flags: unknown): number {
  if (typeof flags === 'number') return flags
  const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_TRUNC, O_EXCL, O_APPEND } = fileConstants
  const text = typeof flags === 'string' ? flags : 'r'
  const exclusive = text.includes('x') ? O_EXCL : 0
  const both = text.includes('+')
  if (text.startsWith('r')) return both ? O_RDWR : O_RDONLY
  if (text.startsWith('w')) return O_CREAT | O_TRUNC | exclusive | (both ? O_RDWR : O_WRONLY)
  return O_CREAT | O_APPEND | exclusive | (both ? O_RDWR : O_WRONLY)
}
