/**
 * A compressed body. Up to `MOST_HELD` compressed bytes it is held and scrubbed whole at its end; with a
 * secret it is returned decoded and scrubbed. A larger body is decoded and scrubbed as a stream. Its original
 * bytes are passed on as soon as their decoded form is known to contain no secret.
 *
 * A secret after the first `MOST_HELD` bytes is found too late for that: the bytes already passed on are
 * encoded, and the output cannot switch to decoded text. The rest of the body is withheld, and `end` reports
 * it.
 *
 * Decision 0361.
 */
import { concatBytes } from '../base/index.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { BodyEnd, BodyScrubber, Side, StreamScrubber } from './scrubber.ts'
import { type StepwiseDecoder, stepwiseDecoder } from './stepwise-decoder.ts'

const MOST_HELD = 16 * 1024 * 1024
const PIECE_BYTES = 16 * 1024
const NOTHING = asScrubbed<Uint8Array>(new Uint8Array(0))

type PassingTools = {
  hits(): number
  stream(side: Side): StreamScrubber
  /** Written in place of the withheld bytes. */
  withhold(): string
}

type Waiting = { readonly bytes: Uint8Array; readonly decodedEnd: number }

/** `held` scrubs the whole body at its end, and keeps the chunks that it gets. */
export function createCompressedBody(
  encodings: readonly string[],
  side: Side,
  tools: PassingTools,
  held: BodyScrubber,
): BodyScrubber {
  let chunks: Uint8Array[] = []
  let heldBytes = 0
  let passing: PassingBody | null = null
  /** The first part contains a secret, or does not have its declared encoding. */
  let isWhole = false
  return {
    isHeld: true,
    get held() {
      return passing?.held ?? heldBytes
    },
    push(chunk) {
      const bytes = new Uint8Array(chunk)
      if (passing !== null) return passing.push(bytes)
      chunks.push(bytes)
      heldBytes += bytes.byteLength
      if (isWhole || heldBytes <= MOST_HELD) return NOTHING
      passing = startPassing(encodings, side, tools, chunks)
      isWhole = passing === null
      if (passing === null) return NOTHING
      chunks = []
      return passing.take()
    },
    end() {
      if (passing !== null) return passing.end()
      for (const chunk of chunks.splice(0)) held.push(chunk)
      return held.end()
    },
  }
}

function startPassing(
  encodings: readonly string[],
  side: Side,
  tools: PassingTools,
  chunks: readonly Uint8Array[],
): PassingBody | null {
  const decoder = stepwiseDecoder(encodings, chunks[0] ?? NOTHING)
  if (decoder === null) return null
  const before = tools.hits()
  const body = new PassingBody(decoder, tools.stream(side), side, tools)
  for (const chunk of chunks) body.add(chunk)
  return tools.hits() === before && !body.isStopped ? body : null
}

class PassingBody {
  readonly #decoder: StepwiseDecoder
  readonly #stream: StreamScrubber
  readonly #side: Side
  readonly #tools: PassingTools
  readonly #before: number
  #waiting: Waiting[] = []
  #decoded = 0
  #certain = 0
  #withheld = 0
  /** A secret, or bytes that do not have their declared encoding: pass nothing more on. */
  isStopped = false

  constructor(decoder: StepwiseDecoder, stream: StreamScrubber, side: Side, tools: PassingTools) {
    this.#decoder = decoder
    this.#stream = stream
    this.#side = side
    this.#tools = tools
    this.#before = tools.hits()
  }

  get held(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes.byteLength, this.#withheld)
  }

  push(chunk: Uint8Array): ScrubbedBytes {
    this.add(chunk)
    return this.take()
  }

  add(chunk: Uint8Array): void {
    if (!this.isStopped) this.#search(chunk)
    if (this.isStopped) this.#withheld += chunk.byteLength
    else this.#waiting.push({ bytes: chunk, decodedEnd: this.#decoded })
  }

  #search(chunk: Uint8Array): void {
    try {
      for (let at = 0; at < chunk.byteLength && !this.isStopped; at += PIECE_BYTES) {
        const plain = this.#decoder.push(chunk.subarray(at, at + PIECE_BYTES))
        this.#decoded += plain.byteLength
        this.#certain += this.#stream.push(plain).byteLength
        this.#stopAtSecret()
      }
    } catch {
      // Not in its declared encoding: the rest cannot be searched, so it must not pass.
      this.#stop()
    }
  }

  /** Bytes known to contain no secret. */
  take(): ScrubbedBytes {
    const count = this.#waiting.findIndex(({ decodedEnd }) => decodedEnd > this.#certain)
    const certain = this.#waiting.splice(0, count < 0 ? this.#waiting.length : count)
    return asScrubbed<Uint8Array>(concatBytes(certain.map(({ bytes }) => bytes)))
  }

  end(): BodyEnd {
    if (!this.isStopped) {
      this.#certain += this.#stream.end().byteLength
      this.#stopAtSecret()
    }
    const scrubbed = this.#tools.hits() - this.#before
    if (!this.isStopped) return { chunks: [this.take()], decoded: false, scrubbed }
    const mark = asScrubbed<Uint8Array>(Buffer.from(this.#tools.withhold()))
    // The body that the program receives ends at the cut: a text there would be read as encoded bytes.
    return { chunks: this.#side === 'sent' ? [mark] : [], decoded: false, scrubbed, withheld: true }
  }

  #stopAtSecret(): void {
    if (this.#tools.hits() !== this.#before) this.#stop()
  }

  #stop(): void {
    this.isStopped = true
    for (const { bytes } of this.#waiting.splice(0)) this.#withheld += bytes.byteLength
  }
}
