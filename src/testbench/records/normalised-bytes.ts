/**
 * Bytes of a scrubbed body on their way to the hash of its key: placeholders get one form, and the boundary
 * of a multipart body one fixed word. The possible beginning of either is held until the next piece;
 * everything else passes unchanged.
 */
import { normalisePlaceholders } from '../../scrub/index.ts'

/** The longest placeholder, encoded for a URL. */
const LONGEST = 256

export class NormalisedBytes {
  readonly #boundary: string | null
  readonly #out: (bytes: Uint8Array) => void
  #held: Buffer = Buffer.alloc(0)

  constructor(contentType: string | undefined, out: (bytes: Uint8Array) => void) {
    this.#boundary = boundaryOf(contentType)
    this.#out = out
  }

  add(bytes: Uint8Array): void {
    const all = this.#held.length === 0 ? viewOf(bytes) : Buffer.concat([this.#held, bytes])
    const end = this.#isPlain(all) ? this.#plainEnd(all) : this.#wholeEnd(all.toString('latin1'))
    this.#give(all.subarray(0, end))
    this.#held = Buffer.from(all.subarray(end))
  }

  end(): void {
    this.#give(this.#held)
    this.#held = Buffer.alloc(0)
  }

  #isPlain(bytes: Buffer): boolean {
    const hasBoundary = this.#boundary !== null && bytes.includes(this.#boundary, 0, 'latin1')
    return !hasBoundary && !bytes.includes('<redacted:') && !bytes.includes('%3')
  }

  /** The offset at which text without marks may be the beginning of one. */
  #plainEnd(bytes: Buffer): number {
    return Math.max(0, bytes.length - Math.max(LONGEST, this.#boundary?.length ?? 0))
  }

  /** The same for text with marks: not inside one. */
  #wholeEnd(text: string): number {
    let end = Math.max(0, text.length - Math.max(LONGEST, this.#boundary?.length ?? 0))
    for (const { index, 0: mark } of text.matchAll(MARKS))
      if (index < end && index + mark.length > end) end = index
    const at = this.#boundary === null ? -1 : text.lastIndexOf(this.#boundary, end)
    if (this.#boundary !== null && at >= 0 && at < end && at + this.#boundary.length > end) end = at
    return end
  }

  #give(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (this.#isPlain(bytes)) {
      this.#out(bytes)
      return
    }
    const text = normalisePlaceholders(bytes.toString('latin1'))
    const done = this.#boundary === null ? text : text.replaceAll(this.#boundary, 'boundary')
    this.#out(Buffer.from(done, 'latin1'))
  }
}

const MARKS = /<redacted:[A-Za-z0-9_.:#-]{1,190}>|%3Credacted(?::|%3A)[A-Za-z0-9_.:%-]{1,190}?%3E/gi

function boundaryOf(contentType: string | undefined): string | null {
  return /^multipart\/.*boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1] ?? null
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
