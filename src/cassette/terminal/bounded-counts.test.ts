import { Terminal } from '@xterm/headless'
import { expect, test } from 'vitest'
import { createTerminal } from './terminal.ts'

const size = { rows: 5, cols: 12 }
const BEFORE = 'one\r\ntwo\r\nthree\r\nfour\r\nfive\x1b[3;4Hx'
const finals = [
  'L',
  'M',
  'S',
  'T',
  'I',
  'Z',
  'b',
  'P',
  'X',
  '@',
  'A',
  'B',
  'C',
  'D',
  'E',
  'F',
  'G',
  'd',
  'a',
  'e',
]

async function unbounded(stream: string, cols = size.cols) {
  const terminal = new Terminal({ ...size, cols, allowProposedApi: true, logLevel: 'off' })
  await new Promise<void>((resolve) => terminal.write(stream, resolve))
  const { active } = terminal.buffer
  return {
    text: Array.from({ length: size.rows }, (_, row) =>
      active
        .getLine(active.baseY + row)
        ?.translateToString(true)
        .trimEnd(),
    ),
    cursor: [active.cursorY, Math.min(active.cursorX, cols - 1)],
  }
}

async function ours(stream: string, cols = size.cols) {
  const terminal = createTerminal({ ...size, cols })
  await terminal.feed(Buffer.from(stream))
  const { text, cursor } = terminal.snapshot()
  return { text, cursor: [cursor.row, cursor.col] }
}

test.each(finals)('CSI Ps %s leaves the same screen with a lower count', async (final) => {
  for (const count of [0, 1, 2, 3, 11, 12, 60, 61, 10_000, 10_001, 30_007]) {
    const stream = `${BEFORE}\x1b[${count}${final}y`
    expect([count, await ours(stream)]).toEqual([count, await unbounded(stream)])
  }
})

test.each([5, 7, 80, 81])('a wide character is repeated to the same column of %i', async (cols) => {
  for (const before of ['', 'a', '\x1b[?7l'])
    for (const count of [10_001, 10_007, 20_011]) {
      const stream = `${before}世\x1b[${count}by`
      expect([before, count, await ours(stream, cols)]).toEqual([
        before,
        count,
        await unbounded(stream, cols),
      ])
    }
})

test.each(finals)('CSI 2147483647 %s ends', async (final) => {
  const { text } = await ours(`${BEFORE}\x1b[2147483647${final}y`)
  expect(text).toHaveLength(size.rows)
})
