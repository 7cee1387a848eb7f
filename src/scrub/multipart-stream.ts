/**
 * A multipart body that is too large to hold, part by part.
 *
 * A part of ordinary size is scrubbed whole, as in a small body: by its name, its type and its content. A
 * longer one passes as a stream after its headers; if it has the name of a secret, a placeholder takes its
 * place.
 */
import { concatBytes } from '../base/index.ts'
import { type ContentTools, partBodyStart, scrubPart, secretPartName } from './content.ts'
import { applyEdits } from './edit.ts'
import { asScrubbed, type ScrubbedBytes } from './scrubbed.ts'
import type { Side, StreamScrubber } from './scrubber.ts'

/** A longer part is not held. */
const MOST_HELD = 256 * 1024
/** So much is collected first: small chunks would each copy the held part. */
const LEAST_TAKEN = 64 * 1024

type Tools = ContentTools & { stream(side: Side): StreamScrubber }
type LongPart = { push(bytes: Uint8Array): Uint8Array; end(): Uint8Array }

export function createMultipartStream(delimiter: string, side: Side, tools: Tools): StreamScrubber {
  const mark = Buffer.from(delimiter, 'latin1')
  let chunks: Uint8Array[] = []
  let collected = 0
  /** The current part; of a long one, as much as may be the beginning of the delimiter. */
  let rest = Buffer.alloc(0)
  let long: LongPart | null = null
  let isPreamble = true

  const take = (): Uint8Array => {
    const out: Uint8Array[] = []
    let bytes = Buffer.concat([rest, ...chunks])
    chunks = []
    collected = 0
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark)) {
      out.push(endPart(bytes.subarray(0, at)), mark)
      bytes = bytes.subarray(at + mark.length)
      isPreamble = false
    }
    if (long === null && bytes.length > MOST_HELD)
      long = isPreamble ? tools.stream(side) : longPart(bytes, side, tools)
    const kept = long === null ? bytes.length : Math.min(bytes.length, mark.length - 1)
    if (long !== null) out.push(long.push(bytes.subarray(0, bytes.length - kept)))
    rest = Buffer.from(bytes.subarray(bytes.length - kept))
    return concatBytes(out)
  }

  const endPart = (bytes: Buffer): Uint8Array => {
    const part = long
    long = null
    if (part !== null) return concatBytes([part.push(bytes), part.end()])
    const text = bytes.toString('latin1')
    return Buffer.from(isPreamble ? tools.text(text, side) : scrubPart(text, side, tools), 'latin1')
  }

  return {
    get held() {
      return rest.length + collected
    },
    push(chunk) {
      chunks.push(new Uint8Array(chunk))
      collected += chunk.byteLength
      return clean(collected < LEAST_TAKEN ? new Uint8Array(0) : take())
    },
    end: () => clean(concatBytes([take(), endPart(rest)])),
  }
}

/** `held`: the part so far, from its headers on. */
function longPart(held: Buffer, side: Side, tools: Tools): LongPart {
  const start = partBodyStart(held.toString('latin1', 0, MOST_HELD))
  if (start < 0) return tools.stream(side)
  const headers = held.toString('latin1', 0, start)
  const name = secretPartName(headers, side, tools)
  let left = start
  let before = Buffer.from(tools.text(headers, side), 'latin1')
  const body = name === null ? tools.stream(side) : droppedPart(name, side, tools)
  return {
    push(bytes) {
      const out = concatBytes([before, body.push(bytes.subarray(left))])
      before = Buffer.alloc(0)
      left = 0
      return out
    },
    end: () => concatBytes([before, body.end()]),
  }
}

/** A secret of any length: what is held of it is enough for its placeholder. */
function droppedPart(name: string, side: Side, tools: Tools): LongPart {
  let first = ''
  let end = ''
  return {
    push(bytes) {
      const text = Buffer.from(bytes).toString('latin1')
      if (first === '') first = text
      end = (end + text.slice(-2)).slice(-2)
      return new Uint8Array(0)
    },
    end() {
      const edits = tools.secrets.fieldEdits(name, first, side, `form ${name}`)
      const breaks = /\r?\n$/.exec(end)?.[0] ?? ''
      return Buffer.from(applyEdits(first, edits) + breaks, 'latin1')
    },
  }
}

function clean(bytes: Uint8Array): ScrubbedBytes {
  return asScrubbed<Uint8Array>(bytes)
}
