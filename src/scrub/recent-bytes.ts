/**
 * The last bytes of a stream, which rules read as the context of what follows. They are copied, because a program may
 * change its bytes later. Text is made of them only when it is read.
 */

/** How many the streams of the scrubber keep. */
export const CONTEXT = 512
/** The buffer has room for several times as many, so that they are seldom moved. */
const ROOM = 4

export class RecentBytes {
  readonly #most: number
  /** Made when the first bytes are added: most bodies come in one chunk. */
  #buffer: Buffer | null = null
  #end = 0
  /** The same as text; null if bytes have been added since it was made. */
  #text: string | null = ''

  constructor(most: number = CONTEXT) {
    this.#most = most
  }

  /** The bytes, at most as many as are kept, as one character each. */
  get text(): string {
    const from = Math.max(0, this.#end - this.#most)
    const text = this.#text ?? this.#buffer?.toString('latin1', from, this.#end) ?? ''
    this.#text = text
    return text
  }

  set(text: string): void {
    this.#text = text.length > this.#most ? text.slice(-this.#most) : text
    this.#end = -1
  }

  add(bytes: Uint8Array): void {
    this.#buffer ??= Buffer.allocUnsafe(ROOM * this.#most)
    const buffer = this.#buffer
    if (this.#end < 0) this.#end = buffer.write(this.#text ?? '', 'latin1')
    this.#text = null
    const { byteLength } = bytes
    if (byteLength >= this.#most) {
      buffer.set(bytes.subarray(byteLength - this.#most))
      this.#end = this.#most
      return
    }
    if (this.#end + byteLength > ROOM * this.#most) {
      buffer.copyWithin(0, this.#end - this.#most, this.#end)
      this.#end = this.#most
    }
    buffer.set(bytes, this.#end)
    this.#end += byteLength
  }

  /** What `text` is after the bytes are added. */
  textWith(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (buffer.length >= this.#most) return buffer.toString('latin1', buffer.length - this.#most)
    return (this.text + buffer.toString('latin1')).slice(-this.#most)
  }

  /** Writes the last bytes, at most `count`, to the beginning of `target`. Returns how many they are. */
  writeEnd(target: Buffer, count: number): number {
    if (this.#end < 0) return target.write((this.#text ?? '').slice(-count), 'latin1')
    const length = Math.min(count, this.#end)
    const from = this.#end - length
    for (let at = 0; at < length; at += 1) target[at] = this.#buffer?.[from + at] ?? 0
    return length
  }
}
