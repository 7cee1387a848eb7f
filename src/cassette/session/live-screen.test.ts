/**
 * The live screen keeps only as much as it may need: it must show what a terminal shows that saw everything,
 * and keep nothing of its caller's memory.
 */
import { expect, test } from 'vitest'
import { createTerminal } from '../terminal/terminal.ts'
import { createLiveScreen } from './live-screen.ts'

const size = { rows: 6, cols: 20 }
const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at} of many\r\n`).join('')
const spinner = Array.from({ length: 4000 }, (_, at) => `\rworking ${at}`).join('')

test.each<[string, readonly string[]]>([
  ['many lines', [lines(3000)]],
  ['lines that wrap', [`${'wrapped '.repeat(12)}\r\n`.repeat(600)]],
  ['few lines, then one that is painted over and over', [lines(4) + spinner]],
  ['a coloured screen, then many lines, then a few', [`\x1b[2J\x1b[31mred\r\n`, lines(900), 'the end\r\n$ ']],
  ['no line end at all', ['x'.repeat(50_007)]],
])('%s', async (_, parts) => {
  const replies: string[] = []
  const screen = createLiveScreen(size, (bytes) => void replies.push(Buffer.from(bytes).toString()))
  const whole = createTerminal(size)
  for (const part of parts) {
    const memory = Buffer.from(part)
    await whole.feed(Buffer.from(part))
    await screen.feed(memory)
    memory.fill(0x23)
  }
  const { cursor } = whole.snapshot()
  await screen.feed(Buffer.from('\x1b[6n'))
  expect(replies).toEqual([`\x1b[${cursor.row + 1};${cursor.col + 1}R`])
  expect(await screen.rows()).toEqual(whole.rows().map((row) => row.text.trimEnd()))
  screen.dispose()
  whole.dispose()
})
