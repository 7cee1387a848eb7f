/**
 * Scrubs what a program sends to a subprocess. If the first line is a greeting of MCP, lines are JSON and are
 * scrubbed as such, so that a password among the arguments of a tool is replaced by the name of its field;
 * otherwise they are plain bytes. A line is held back until it is whole.
 *
 * Decision 0133.
 */
import { concatBytes, textOrNull } from '../../base/index.ts'
import type { ScrubbedBytes, Scrubber, StreamScrubber } from '../../scrub/index.ts'
import { concatScrubbed, noScrubbedBytes, scrubbedText, scrubbedUtf8 } from '../../scrub/scrubbed-parts.ts'
import { greets } from './json-rpc.ts'

/** A longer first line is no greeting. */
const MAX_GREETING_BYTES = 64 * 1024
const NEWLINE = 0x0a
const OPEN_BRACE = 0x7b
const LINE_END = scrubbedUtf8(scrubbedText`\n`)

export function stdinScrubber(scrubber: Scrubber): StreamScrubber {
  const bytes = scrubber.stream('sent')
  let mode: 'undecided' | 'lines' | 'bytes' = 'undecided'
  let held: Uint8Array = new Uint8Array()

  const decide = (): void => {
    const end = held.indexOf(NEWLINE)
    if (held[0] !== OPEN_BRACE || (end < 0 && held.byteLength > MAX_GREETING_BYTES)) mode = 'bytes'
    else if (end >= 0) mode = greets(textOrNull(held.subarray(0, end)) ?? '') ? 'lines' : 'bytes'
  }

  const scrubLine = (line: Uint8Array): ScrubbedBytes => {
    const text = textOrNull(line)
    return text === null ? scrubber.bytes(line, 'sent') : scrubbedUtf8(scrubber.jsonText(text, 'sent'))
  }

  const wholeLines = (): ScrubbedBytes => {
    const parts: ScrubbedBytes[] = []
    let start = 0
    for (let end = held.indexOf(NEWLINE); end >= 0; end = held.indexOf(NEWLINE, start)) {
      parts.push(scrubLine(held.subarray(start, end)), LINE_END)
      start = end + 1
    }
    held = held.slice(start)
    return concatScrubbed(parts)
  }

  const flow = (): ScrubbedBytes => {
    if (mode === 'undecided' && held.byteLength > 0) decide()
    switch (mode) {
      case 'undecided':
        return noScrubbedBytes
      case 'lines':
        return wholeLines()
      case 'bytes': {
        const all = held
        held = new Uint8Array()
        return bytes.push(all)
      }
    }
  }

  return {
    get held() {
      return held.byteLength + bytes.held
    },
    push(chunk) {
      held = held.byteLength === 0 ? chunk.slice() : concatBytes([held, chunk])
      return flow()
    },
    end() {
      if (mode === 'lines') {
        const rest = held
        held = new Uint8Array()
        return scrubLine(rest)
      }
      mode = 'bytes'
      const rest = flow()
      return concatScrubbed([rest, bytes.end()])
    },
  }
}
