/**
 * What is typed, between the keyboard and the disk. Keys come one by one, so a secret is typed over many
 * records: their bytes wait in a scrubber of their own, and each line is written when all of its bytes are
 * certain. After a prompt that asks for a secret everything up to Enter is one.
 */
import type { ScrubbedBytes, ScrubbedText } from '../../scrub/index.ts'
import { concatScrubbed, sliceScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import { inputLine } from '../codec/index.ts'
import type { InputRecord } from '../codec/records.ts'
import type { Writable } from '../codec/writable.ts'
import { FILES } from '../files/names.ts'
import type { PartialFolder } from '../files/write-folder.ts'
import { MASK, type SecretFinder } from '../scrub/secret-finder.ts'
import { createTerminalScrubber } from '../scrub/stream-scrubber.ts'

export type HeldInput = {
  /**
   * `prompt` is the end of the visible output. A record without bytes waits for those before it, so that
   * lines stay in order.
   */
  arrive(record: InputRecord, words: InputWords, prompt: string): void
  end(): void
}

/** The free texts of a record, scrubbed. */
type InputWords = { readonly kind: ScrubbedText; readonly key: ScrubbedText; readonly signal: ScrubbedText }

/** As in `Password:`, `[sudo] password for me: `, `Enter passphrase for key '…':`, `API key: `. */
const ASKS_FOR_SECRET =
  /(?:pass(?:word|phrase|code|wd)|\bpin\b|secret|\btoken|api[ _-]?key|private key|verification code|one-time code)[^\r\n]{0,80}[:?]\s*$/i

export type LearnSecret = (kind: string, secret: string) => void

export function createHeldInput(folder: PartialFolder, finder: SecretFinder, learn: LearnSecret): HeldInput {
  const scrubber = createTerminalScrubber(finder, Number.MAX_SAFE_INTEGER, 'input')
  const waiting: {
    readonly record: InputRecord
    readonly words: InputWords
    readonly length: number
    parts: ScrubbedBytes[]
    have: number
  }[] = []
  let answering = false
  let answer = ''
  const release = (bytes: ScrubbedBytes): void => {
    let at = 0
    for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
      const take = Math.min(head.length - head.have, bytes.byteLength - at)
      head.parts.push(sliceScrubbedBytes(bytes, at, at + take))
      head.have += take
      at += take
      if (head.have < head.length) return
      waiting.shift()
      const whole = concatScrubbed(head.parts)
      folder.appendLine(FILES.input, inputLine(writable(head.record, whole, head.words)))
    }
  }
  /**
   * Masks what answers a prompt for a secret: printable characters only, so that Enter, Backspace and arrows
   * stay keys.
   */
  const masked = (bytes: Uint8Array, prompt: string): Uint8Array => {
    if (!answering && ASKS_FOR_SECRET.test(prompt)) answering = true
    if (!answering || bytes.byteLength === 0) return bytes
    const out = Uint8Array.from(bytes)
    out.forEach((byte, at) => {
      if (byte === 0x0d || byte === 0x0a) {
        if (answer.length >= 8) learn('typed-secret', answer)
        answering = false
        answer = ''
      } else if (answering && byte >= 0x20 && byte !== 0x7f) {
        answer += String.fromCharCode(byte)
        out[at] = MASK
      } else if (byte === 0x7f || byte === 0x08) answer = answer.slice(0, -1)
    })
    if (answer !== '' || out.some((byte, at) => byte !== bytes[at]))
      finder.note('typed-secret', answer, 'input')
    return out
  }
  return {
    arrive(record, words, prompt) {
      const given = record.bytes ?? new Uint8Array()
      // An answer of the terminal itself is no typing.
      const bytes = record.reply ? given : masked(given, prompt)
      waiting.push({ record, words, length: bytes.byteLength, parts: [], have: 0 })
      release(scrubber.push(bytes))
    },
    end: () => release(scrubber.end()),
  }
}

function writable(record: InputRecord, bytes: ScrubbedBytes, words: InputWords): Writable<InputRecord> {
  return { ...record, ...words, bytes: record.bytes === null ? null : bytes }
}
