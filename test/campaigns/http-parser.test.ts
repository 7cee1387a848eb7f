/**
 * Our HTTP/1 parser and the llhttp inside Node read the same random streams of messages, 40,000 of them in
 * random pieces. What llhttp reads, ours reads the same. What llhttp refuses, ours refuses, apart from the
 * known cases below.
 */
import { expect, test } from 'vitest'
import { randomCuts, randomStream, type Side } from '../boundaries/http-messages.ts'
import { type Reading, readByNode, readByOurs } from '../boundaries/http-readers.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'

/** Reasons of llhttp for what ours takes: none of them changes where a message ends. */
const TAKEN_BY_OURS: readonly RegExp[] = [
  // A line feed alone ends a line.
  /^Missing expected CR after/,
  /^Expected CRLF after version$/,
  /^Invalid response status$/,
  /^Invalid header (field|value) char$/,
  // A folded line belongs to the header before it.
  /^Unexpected whitespace after header value$/,
  // Any method, any target without a space: what a client asks for is not ours to judge.
  /^(Invalid method encountered|Expected space after method)$/,
  /^(Unexpected|Invalid) (start )?char(acters)? in url/,
  // The text of a chunk extension is not read.
  /^Invalid character in chunk extension/,
  // A tab around a length is white space.
  /^Invalid character in Content-Length$/,
  // Whether a message may follow is left to the client, which sees the same headers.
  /^Data after `Connection: close`$/,
]

/**
 * llhttp takes requests without a version (HTTP/0.9), and with several spaces in the first line. No client
 * writes them.
 */
const REFUSED_BY_OURS = /[A-Z-]+ ( +\S+ HTTP\/1\.[01]|\S+ {2,}HTTP\/1\.[01]|[^ \r\n]+ *)\r?\n/
/**
 * llhttp takes a carriage return alone between two messages, an empty coding before a length, and a length of
 * up to 2^64; ours takes none of them.
 */
const NEVER_TAKEN = /\r(?!\n)|transfer-encoding:[ \t]*\r?\n|content-length:[ \t]*\d{16}/i
/**
 * For llhttp a tab beside a coding is a part of it, and the coding is another one; for ours it is white
 * space.
 */
const TAB_AT_CODING = /\tchunked|chunked\t/i

test('our HTTP/1 parser reads what llhttp reads, and refuses what it refuses', () => {
  const counts = { same: 0, refused: 0, taken: 0 }
  for (let at = 0; at < scaled(40_000, 4_000); at += 1) {
    const random = seeded(campaignSeed + at)
    const side: Side = random(2) === 0 ? 'request' : 'response'
    const bytes = randomStream(side, random)
    const pieces = randomCuts(bytes, random)
    const ours = readByOurs(side, pieces)
    const llhttp = readByNode(side, pieces)
    const text = bytes.toString('latin1')
    const about = `seed ${campaignSeed}, stream ${at}: ${JSON.stringify(text)}`
    expect(ours, about).toEqual(readByOurs(side, [bytes]))
    if (TAB_AT_CODING.test(text)) continue
    if (ours.refused && (NEVER_TAKEN.test(text) || (side === 'request' && REFUSED_BY_OURS.test(text))))
      continue
    if (!llhttp.refused) {
      expect(ours.refused, about).toBe(false)
      expect(ours.messages, about).toEqual(llhttp.messages)
      counts.same += 1
    } else {
      const whole = llhttp.messages.filter((message) => message.whole)
      expect(ours.messages.slice(0, whole.length), about).toEqual(whole)
      if (isRefused(ours)) counts.refused += 1
      else {
        const isKnown = TAKEN_BY_OURS.some((reason) => reason.test(llhttp.reason))
        expect(isKnown, `${llhttp.reason}; ${about}`).toBe(true)
        counts.taken += 1
      }
    }
  }
  // Else the streams have become too much alike to show anything.
  expect(Math.min(counts.same, counts.refused, counts.taken)).toBeGreaterThan(scaled(2_000, 100))
})

/** Also if the bytes ended in the middle of a message. */
function isRefused({ refused, reason }: Reading): boolean {
  return refused || reason === 'cut'
}
