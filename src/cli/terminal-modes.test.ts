import { expect, test } from 'vitest'
import { createTerminalModes } from './terminal-modes.ts'

function restored(...parts: string[]): string {
  const modes = createTerminalModes()
  for (const part of parts) modes.feed(Buffer.from(part))
  return modes.restore()
}

test.each([
  ['nothing', ['hello'], '\u001b[0m'],
  ['an alternate screen that was left', ['\u001b[?1049hx\u001b[?1049l'], '\u001b[0m'],
  ['an alternate screen that is still there', ['\u001b[?1049hx'], '\u001b[0m\u001b[?1049l'],
  ['a sequence in two parts', ['\u001b[?10', '49h'], '\u001b[0m\u001b[?1049l'],
  ['a hidden cursor', ['\u001b[?25l'], '\u001b[0m\u001b[?25h'],
  ['several at once', ['\u001b[?1000;1006h'], '\u001b[0m\u001b[?1000l\u001b[?1006l'],
  ['keypad and margins', ['\u001b=\u001b[2;5r'], '\u001b[0m\u001b7\u001b[r\u001b8\u001b>'],
  ['a full reset', ['\u001b[?1049h\u001b[?25l\u001bc'], '\u001b[0m'],
])('%s', (_name, parts, expected) => {
  expect(restored(...parts)).toBe(expected)
})
