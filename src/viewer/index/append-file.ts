/**
 * A new file of an index: bytes are appended through a buffer, and what is still in the buffer can be changed
 * in place.
 *
 * Mode 0600. The first failed write is thrown at once: an index is derived, so there is nothing to save.
 */
import { fromSystemError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'

export class AppendFile {
  readonly path: string
  readonly #descriptor: number
  readonly #buffer: Buffer
  readonly #view: DataView
  /** Offset in the file of the first byte of the buffer. */
  #start = 0
  #filled = 0

  constructor(path: string, bufferBytes: number) {
    this.path = path
    this.#buffer = Buffer.alloc(bufferBytes)
    this.#view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, bufferBytes)
    this.#descriptor = this.#try(() => fs.openSync(path, 'wx+', 0o600))
  }

  get sizeBytes(): number {
    return this.#start + this.#filled
  }

  /** Room for one entry of `length` bytes, to be written by `write` at the given place of the view. */
  append(length: number, write: (view: DataView, at: number) => void): void {
    if (this.#filled + length > this.#buffer.length) this.#makeRoom()
    write(this.#view, this.#filled)
    this.#filled += length
  }

  appendBytes(bytes: Uint8Array): void {
    this.flush()
    this.#try(() => this.#writeAll(bytes, this.#start))
    this.#start += bytes.byteLength
  }

  /** True if the byte at this offset can be changed without a write. */
  isBuffered(offset: number): boolean {
    return offset >= this.#start
  }

  /** Changes a u32 that was appended before: in the buffer, or in the file. */
  patchU32(offset: number, value: number): void {
    if (offset >= this.#start) {
      this.#view.setUint32(offset - this.#start, value, true)
      return
    }
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setUint32(0, value, true)
    this.#try(() => this.#writeAll(bytes, offset))
  }

  /** Everything is in the file afterwards. */
  flush(): void {
    if (this.#filled === 0) return
    this.#try(() => this.#writeAll(this.#buffer.subarray(0, this.#filled), this.#start))
    this.#start += this.#filled
    this.#filled = 0
  }

  /** Cuts the file to `sizeBytes`: for a last entry that will be written again. */
  truncate(sizeBytes: number): void {
    this.flush()
    this.#try(() => fs.ftruncateSync(this.#descriptor, sizeBytes))
    this.#start = sizeBytes
  }

  close(): void {
    fs.closeSync(this.#descriptor)
  }

  /** Writes the older half, so that recent entries can still be changed cheaply. */
  #makeRoom(): void {
    const half = this.#filled >>> 1
    this.#try(() => this.#writeAll(this.#buffer.subarray(0, half), this.#start))
    this.#buffer.copyWithin(0, half, this.#filled)
    this.#start += half
    this.#filled -= half
  }

  #writeAll(bytes: Uint8Array, position: number): void {
    for (let at = 0; at < bytes.byteLength; ) {
      at += fs.writeSync(this.#descriptor, bytes, at, bytes.byteLength - at, position + at)
    }
  }

  #try<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw fromSystemError(error, 'write', this.path)
    }
  }
}
