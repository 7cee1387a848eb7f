/** A secret in a frame is masked in its text and its cells, whatever is before it in its row. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { cellText } from '../terminal/frame.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { finderOf } from './finder-of.ts'
import { maskFrame } from './mask-frame.ts'

const SECRET = 'Zq7-known.value_of/an+env=variable'
const finder = finderOf(createScrubber({ env: { SERVICE_TOKEN: SECRET } }), 'received')

test.each([
  ['nothing', ''],
  ['emoji', '😀😀'],
  ['a character of two columns', '日'],
  ['a mark that has nothing to join', '\x1b[m\u0301x'],
  ['a mark that joins', 'e\u0301'],
])('%s before it', async (_what, before) => {
  const terminal = createTerminal({ rows: 3, cols: 60 })
  await terminal.feed(Buffer.from(`${before} ${SECRET} after`))
  const frame = terminal.snapshot()
  const masked = maskFrame(frame, finder)
  const stars = '*'.repeat(SECRET.length)
  expect(masked.text[0]).toBe(frame.text[0]?.replace(SECRET, stars))
  expect(masked.cells[0]?.map(cellText).join('').trimEnd()).toBe(
    frame.cells[0]?.map(cellText).join('').trimEnd().replace(SECRET, stars),
  )
})
