/**
 * A secret that a program appends to a file in pieces is on no record, neither whole nor as far as it has
 * come.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'
import { recordProgram } from '../support/recorded-program.ts'

const SECRET = 'Zq9wKkLm+17/abc-Xy4Zw8Vu'
const KEY = `gh${'p'}_a7KzwuDiacjIylvfGnu9gEySBiMgOceuL69w`
const source = (size: number): string => `
import { appendFileSync } from 'node:fs'
const add = (text) => {
  for (let at = 0; at < text.length; at += ${size}) appendFileSync('log.txt', text.slice(at, at + ${size}))
}
add('before ')
add(process.env.MY_SECRET)
add(' between ')
add(${JSON.stringify(KEY.slice(0, 4))} + ${JSON.stringify(KEY.slice(4))})
add(' after\\n')
`

test.each([5, 7, 11])('in pieces of %i characters', async (size) => {
  const program = await recordProgram(source(size), { MY_SECRET: SECRET })
  expect(program.recorded.code).toBe(0)
  const tape = readFileSync(program.tape, 'utf8')
  for (const text of [SECRET, KEY]) {
    for (let at = 4; at + 8 <= text.length; at += 1) expect(tape).not.toContain(text.slice(at, at + 8))
  }
  // So much of the key that it counts as one by itself has a number of its own.
  expect(tape).toMatch(/before <redacted:env:MY_SECRET> between <redacted:github_token(?:#\d)?> after/)
  const replay = await program.replay({ env: { PATH: process.env.PATH, MY_SECRET: SECRET } })
  expect(replay.report.verdict, replay.stderr).toBe('faithful')
})

test.each(['p@s!w0rd-of-Zq9wKk', 'pässwörd-Ünïcode-1234'])(
  'a value that begins with odd characters: %s',
  (value) => {
    const scrubber = createScrubber({ env: { MY_SECRET: value } })
    const bytes = (text: string): Buffer => Buffer.from(text)
    for (let length = 4; length < value.length; length += 1) {
      const begun = value.slice(0, length)
      expect(scrubber.unfinished(bytes(`before ${begun}`), 'sent').masked).toBe(bytes(begun).length)
    }
    for (const text of [`before ${value.slice(0, 2)}`, `before ${value}`, `before ${value}\n`])
      expect(scrubber.unfinished(bytes(text), 'sent').masked).toBe(0)
  },
)
