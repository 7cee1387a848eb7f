/** A string sequence ends where the emulator ends it: a secret after it is text, and masked. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { scrubTerminal } from './scrub-terminal.ts'

const SECRET = 'Zq7-known.value_of/an+env=variable'
const scrubber = createScrubber({ env: { SERVICE_TOKEN: SECRET } })

test.each([
  ['the terminator', '\u009c'],
  ['another control character of C1', '\u008a'],
])('a string that %s ends', async (_what, end) => {
  const bytes = Buffer.from(`\u001b[4@\u009eprivate${end} ${SECRET} after`)
  const out = Buffer.concat(await scrubTerminal([bytes], { scrubber }))
  expect(out.byteLength).toBe(bytes.byteLength)
  expect(out.toString()).not.toContain('known.value')
  expect(out.toString()).toContain(' after')
})
