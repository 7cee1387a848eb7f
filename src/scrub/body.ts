/**
 * The body of a request or an answer, chunk by chunk.
 *
 * What has to be understood as a whole (a compressed body, and a request's JSON, form or multipart body) is
 * held until its end; anything else passes through the stream scrubber as it comes. A compressed body without
 * a secret ends as the bytes that came; with one it ends decoded and scrubbed, and says so, because the one
 * who stores it must encode it again at replay and mend its length.
 */
import { concatBytes, equalBytes } from '../base/index.ts'
import { type ContentTools, contentKind, scrubContent } from './content.ts'
import { decode, encodingsOf, MOST_DECODED } from './encodings.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { BodyEnd, BodyHead, BodyScrubber, Side, StreamScrubber } from './scrubber.ts'

export type BodyTools = ContentTools & {
  hits(): number
  stream(side: Side): StreamScrubber
  /** Stands for a body that is too large to look into. */
  withhold(): string
}

const NOTHING = asScrubbed<Uint8Array>(new Uint8Array(0))

export function createBody(head: BodyHead, side: Side, tools: BodyTools): BodyScrubber {
  const encodings = encodingsOf(head.contentEncoding)
  const kind = contentKind(head.contentType)
  const isHeld = encodings.length > 0 || kind === 'multipart' || (side === 'sent' && kind !== 'other')
  return isHeld ? heldBody(head, encodings, side, tools) : passingBody(side, tools)
}

function passingBody(side: Side, tools: BodyTools): BodyScrubber {
  const before = tools.hits()
  const stream = tools.stream(side)
  return {
    isHeld: false,
    get held() {
      return stream.held
    },
    push: (chunk) => stream.push(chunk),
    end() {
      const rest = stream.end()
      return { chunks: rest.byteLength === 0 ? [] : [rest], decoded: false, scrubbed: tools.hits() - before }
    },
  }
}

function heldBody(head: BodyHead, encodings: readonly string[], side: Side, tools: BodyTools): BodyScrubber {
  const chunks: Uint8Array[] = []
  let held = 0
  return {
    isHeld: true,
    get held() {
      return held
    },
    push(chunk) {
      held += chunk.byteLength
      chunks.push(Uint8Array.from(chunk))
      return NOTHING
    },
    end(): BodyEnd {
      const before = tools.hits()
      const whole = concatBytes(chunks)
      if (whole.byteLength === 0) return { chunks: [], decoded: false, scrubbed: 0 }
      const plain = decode(whole, encodings, head.mostBytes ?? MOST_DECODED)
      if (plain.kind === 'too-large')
        return {
          chunks: [asScrubbed<Uint8Array>(Buffer.from(tools.withhold()))],
          decoded: true,
          scrubbed: tools.hits() - before,
        }
      const bytes = plain.kind === 'decoded' ? plain.bytes : whole
      const type = plain.kind === 'decoded' ? head.contentType : undefined
      const done = scrubContent(bytes, type, side, tools)
      if (done === bytes || equalBytes(done, bytes))
        return { chunks: chunks.map(clean), decoded: false, scrubbed: 0 }
      return {
        chunks: [clean(done)],
        decoded: plain.kind === 'decoded' && encodings.length > 0,
        scrubbed: tools.hits() - before,
      }
    },
  }
}

function clean(bytes: Uint8Array): ScrubbedBytes {
  return asScrubbed<Uint8Array>(bytes)
}
