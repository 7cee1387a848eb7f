/**
 * A large chunk of plain lines is passed whole where no rule has a place to check. The cuts into chunks change
 * nothing: what small chunks give, large ones give too, wherever a secret is cut.
 */
import { expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { finderOf } from './finder-of.ts'
import type { SecretFinder } from './secret-finder.ts'
import { createTerminalScrubber } from './stream-scrubber.ts'

const KNOWN = 'Zq7-known.value_of/an+env=variable'
const finder = finderOf(createScrubber({ env: { SERVICE_TOKEN: KNOWN } }), 'received')
const LINES = 'make[2]: Entering directory /src/parser, 17 files\r\n'.repeat(60)

type Scrubbed = { readonly text: string; readonly outOfOrder: boolean; readonly tail: string }

function scrubbed(chunks: readonly Buffer[], over: SecretFinder = finder): Scrubbed {
  const scrubber = createTerminalScrubber(over, 80)
  const out: Buffer[] = []
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk)
    for (const part of scrubber.pushParts(memory)) out.push(Buffer.from(part))
    // The reader uses it again.
    memory.fill(0x23)
  }
  const { outOfOrder, tail } = scrubber
  out.push(Buffer.from(scrubber.end()))
  return { text: Buffer.concat(out).toString('latin1'), outOfOrder, tail }
}

const cutInto = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )

test.each<[string, string]>([
  ['a known value', KNOWN],
  ['a known value in base64', Buffer.from(`user:${KNOWN}`).toString('base64')],
  ['a known value in a URL', encodeURIComponent(KNOWN)],
  ['a token', 'ghp_0123456789abcdefghijABCDEFGHIJ012345'],
  ['a key', 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AAAA'],
  ['a password in a URL', 'postgres://user:hunter22secret@db.example/x'],
  ['the head of a key', 'sk-ant-a'],
  ['a line that fills its row', `\r\n${'x'.repeat(80)}\r\n`],
  ['a line without a carriage return', 'one\ntwo\r\n'],
  ['a line that is painted over', 'one\rtwo\r\n'],
])('%s at each cut between two large chunks', (_, planted) => {
  const bytes = Buffer.from(`${LINES}file ${planted} end\r\n${LINES}`)
  const whole = scrubbed(cutInto(bytes, 1000))
  const start = LINES.length
  for (let cut = start - 20; cut <= start + planted.length + 30; cut += 1)
    expect(scrubbed([bytes.subarray(0, cut), bytes.subarray(cut)]), `cut at ${cut - start}`).toEqual(whole)
})

test('plain lines are searched once, in whole chunks', () => {
  const searched: number[] = []
  const counting: SecretFinder = {
    ...finder,
    find: (text, final) => {
      searched.push(text.length)
      return finder.find(text, final)
    },
  }
  const bytes = Buffer.from(LINES.repeat(20))
  expect(scrubbed(cutInto(bytes, 16_001), counting).text).toBe(bytes.toString())
  expect(Math.max(...searched)).toBeLessThan(1100)
  expect(searched.length).toBeLessThanOrEqual(2 * Math.ceil(bytes.byteLength / 16_001))
})

test('a coloured prompt at the end of plain lines leaves the lines to one pass', () => {
  const parsed: number[] = []
  const counting: SecretFinder = {
    ...finder,
    find: (text, final) => {
      parsed.push(text.length)
      return finder.find(text, final)
    },
  }
  const chunk = Buffer.from(`${LINES}\x1b[32mready\x1b[0m $ `)
  expect(scrubbed([chunk], counting)).toEqual(scrubbed(cutInto(chunk, 1000)))
  expect(Math.max(...parsed)).toBeLessThan(1100)
})
