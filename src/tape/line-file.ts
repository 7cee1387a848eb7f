/**
 * A new file that lines are appended to, hashed on the way.
 *
 * Lines collect in one buffer until the end of the tick (a microtask), then go to the operating system in one
 * write. The first error is kept and stops the writing. Hashing waits until the buffer is full, because it
 * costs least in large pieces.
 */
import { type Blake3Stream, type ContentHash, createBlake3, faultPoint } from '../base/index.ts'
import { afterThisStep } from '../real/clock.ts'
import { fs } from '../real/fs.ts'
import { onExit } from '../real/process.ts'
import { FirstFailure } from './first-failure.ts'

const BUFFER_BYTES = 256 * 1024

export type Durability = 'os' | 'fsync'

export class LineFile {
  readonly path: string
  readonly #descriptor: number
  readonly #durability: Durability
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  readonly #flush = (): void => this.flush()
  #hash: Blake3Stream | null = null
  /** Bytes of the buffer in use, and how many of them the operating system has. */
  #filled = 0
  #written = 0
  #sizeBytes = 0
  #scheduled = false
  /** Appends a line that is not whole yet. */
  #complete: (() => void) | null = null
  readonly #writes = new FirstFailure()
  readonly #write = (): void => {
    faultPoint('tape.append')
    while (this.#written < this.#filled)
      this.#written += fs.writeSync(
        this.#descriptor,
        this.#buffer,
        this.#written,
        this.#filled - this.#written,
      )
    this.#sync()
  }

  /** Creates the file with mode 0600. It must not exist, not even as a dangling link. */
  constructor(path: string, durability: Durability) {
    faultPoint('tape.open')
    this.path = path
    this.#durability = durability
    this.#descriptor = fs.openSync(path, 'wx', 0o600)
    atExit(this.#flush)
  }

  get failure(): unknown {
    return this.#writes.error
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  append(line: string): void {
    if (this.#writes.error !== null) return
    // A UTF-16 unit is three bytes at most; one more for the line break.
    const mostBytes = line.length * 3 + 1
    if (mostBytes > BUFFER_BYTES - this.#filled) this.#drain()
    if (mostBytes > BUFFER_BYTES) {
      this.#appendLong(line)
      return
    }
    const end = this.#filled + this.#buffer.write(line, this.#filled, 'utf8')
    this.#buffer[end] = 10
    this.#sizeBytes += end + 1 - this.#filled
    this.#filled = end + 1
    this.#schedule()
  }

  /** Calls `complete` before the next flush, which is at the end of this tick at the latest. */
  beforeFlush(complete: () => void): void {
    this.#complete = complete
    this.#schedule()
  }

  /** Hands what has been appended to the operating system now. */
  flush(): void {
    const complete = this.#complete
    this.#complete = null
    complete?.()
    this.#scheduled = false
    if (this.#written < this.#filled) this.#writes.attempt(this.#write)
  }

  /** BLAKE3 of every byte so far. */
  digest(): ContentHash {
    this.#drain()
    this.#hash ??= createBlake3()
    return this.#hash.digest()
  }

  close(): void {
    this.flush()
    atExitNoMore(this.#flush)
    this.#writes.attempt(() => faultPoint('tape.close'))
    this.#writes.always(() => fs.closeSync(this.#descriptor))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    void afterThisStep(this.#flush)
  }

  #drain(): void {
    this.flush()
    if (this.#filled === 0) return
    this.#hash ??= createBlake3()
    this.#hash.update(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
    this.#written = 0
  }

  #appendLong(line: string): void {
    const bytes = Buffer.from(`${line}\n`, 'utf8')
    this.#writes.attempt(() => {
      faultPoint('tape.append')
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#descriptor, bytes, at)
      this.#sync()
    })
    this.#hash ??= createBlake3()
    this.#hash.update(bytes)
    this.#sizeBytes += bytes.length
  }

  #sync(): void {
    if (this.#durability === 'os') return
    faultPoint('tape.sync')
    fs.fsyncSync(this.#descriptor)
  }
}

/**
 * Open files flush when the process ends in the middle of a tick (`process.exit`). One listener serves them
 * all.
 */
const open = new Set<() => void>()
let listener: Disposable | null = null

function atExit(flush: () => void): void {
  open.add(flush)
  listener ??= onExit(() => {
    for (const each of open) each()
  })
}

function atExitNoMore(flush: () => void): void {
  open.delete(flush)
  if (open.size > 0) return
  listener?.[Symbol.dispose]()
  listener = null
}
