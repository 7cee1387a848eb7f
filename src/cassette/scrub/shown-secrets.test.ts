/**
 * What the emulator shows is what is masked: each stream shows the secret on a screen or in the title, and
 * its parts are not next to each other in the bytes.
 */
import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { scrubTerminal } from './scrub-terminal.ts'

const size = { rows: 10, cols: 40 }
const SECRET = 'Zq7-known.value_of/an+env=variable'
const [HEAD, TAIL] = [SECRET.slice(0, 10), SECRET.slice(10)]
const scrubber = createScrubber({ env: { SERVICE_TOKEN: SECRET } })

/** Blanks before the head of the secret, so that the head ends in the last column. */
const upToTheEdge = (column: number): string => ' '.repeat(size.cols - column - HEAD.length) + HEAD

async function shows(chunks: readonly Uint8Array[]): Promise<boolean> {
  const terminal = createTerminal(size)
  for (const chunk of chunks) {
    await terminal.feed(chunk)
    const rows = terminal.rows()
    const text = rows.map((row) => (row.wraps || row.text.length >= size.cols ? row.text : `${row.text}\n`))
    if (text.join('').includes(SECRET) || terminal.snapshot().title.includes(SECRET)) return true
  }
  return false
}

describe.each([
  ['a character beyond ASCII ends a private message', `\u009ep\u00e9 ${HEAD}\x1b[m${TAIL}`],
  ['a character beyond ASCII ends the head of a DCS', `\x1bP1\u00e9 ${HEAD}\x1b[m${TAIL}`],
  ['a character beyond ASCII does not end an invalid CSI', `${HEAD}\x1b[1?\u00e91m${TAIL}`],
  ['a long CSI ends at its final character', `${HEAD}\x1b[${'0'.repeat(300)}m${TAIL}`],
  ['a byte order mark is not shown', `${HEAD}\ufeff${TAIL}`],
  ['a tab after the last column does not move', `${upToTheEdge(0)}\t${TAIL}`],
  ['a tab in the last column does not move', `${upToTheEdge(1)}\t${TAIL}`],
  ['a carriage return acts inside a CSI', `${'x'.repeat(HEAD.length)}${TAIL}\x1b[\r1m${HEAD}`],
  ['a line feed acts inside a CSI', `${upToTheEdge(0)}\x1b[\n1m\r${TAIL}`],
  ['a mode has zeros before it', `\x1b[?07l${' '.repeat(6)}${SECRET.slice(0, -1)}XYZ${SECRET.slice(-1)}`],
  ['a title has no line feeds', `\x1b]2;${HEAD}\n${TAIL}\x07`],
  ['a title has no byte order marks', `\x1b]2;${HEAD}\ufeff${TAIL}\x07`],
  ['a title is longer than a mebibyte', `\x1b]2;${'x'.repeat(1024 * 1024 - 20)} ${SECRET}\x07`],
  ['a tab counts columns', `a\t${upToTheEdge(8)}\r\n${TAIL}`],
  ['a line feed keeps the column', `abc\n${upToTheEdge(3)}\r\n${TAIL}`],
  ['a combining character has a cell of its own', `\x1b[m\u200b${upToTheEdge(1)}\r\n${TAIL}`],
  ['tab stops are set and cleared', `\x1b[3ga\tx${upToTheEdge(0)}\r\n${TAIL}`],
  ['a national character set has letters elsewhere', `\x1b(4${SECRET.replaceAll('f', '|')}`],
  ['a colour ends what REP repeats', `A\x1b[m\x1b[5b${HEAD}\x1b[2;1Hx\x1b[1;12H${TAIL}`],
  ['a mark has a cell that counts as one of the row', `\x1b[m\u0301${upToTheEdge(1)}\r\n${TAIL}`],
  ['C1 has no reverse index', `\x1b[5;1H${HEAD}\u008d${TAIL}`],
  ['a colour ends what a mark combines with', `\x1b[5;1H${HEAD}e\x1b[m\u0301\b\b${TAIL}`],
  ['a character is cut after a byte 0x80', `\x1b[5;1H${HEAD}\u2019\b${TAIL}`],
])('%s', (_what, text) => {
  test.each(['at once', 'byte by byte'])('%s', async (how) => {
    const bytes = Buffer.from(text)
    const isWhole = how === 'at once' || bytes.byteLength > 1000
    const chunks = isWhole ? [bytes] : [...bytes].map((byte) => Uint8Array.of(byte))
    expect(await shows(chunks)).toBe(true)
    const scrubbed = await scrubTerminal(chunks, { size, scrubber })
    expect(await shows(scrubbed)).toBe(false)
    const out = Buffer.concat(scrubbed)
    expect([out.byteLength, out.includes(SECRET)]).toEqual([bytes.byteLength, false])
  })
})
