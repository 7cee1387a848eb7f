/**
 * The promise of a stream: whatever the rule, the encoding and the place of the cut, it gives what the whole
 * text gives. A failure prints the rule, the form and the offset.
 */
import { expect, test } from 'vitest'
import { createScrubber, type Scrubber, type Side } from '../../src/scrub/index.ts'
import { encodings } from '../scrub/secret-encodings.ts'
import { anchoredSecrets, framedSecrets, newerSecrets } from '../scrub/seeded-secrets.ts'
import { campaignSeed, campaignSize, scaled } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'

const KNOWN = 'Zq9-kno"wn\\secret+value/7 and\nmore'
const QUOTED = '"quoted" first, th3n plain'
const heuristics: readonly (readonly [string, string])[] = [
  ['bearer', 'use Bearer abcDEF123456789012345 here'],
  ['assignment', 'password = hunter2hunter2 and token: "abc123def456ghi7"'],
  ['element', '<login><ns:password>hunter2&amp;more</ns:password></login>'],
  ['flag', 'run --api-key abc123def456ghi7 now'],
  ['header line', 'Authorization: Bearer abc123def456'],
  ['curl', 'curl -u admin:tr0ub4dor-3 https://h/\n'],
  ['telegram', 'https://api.telegram.org/bot123456789:AAFq7w3E9r1T5y2U8i4O6p0A9s7D3f1G5h2J/getMe'],
  [
    'discord',
    `x ${Buffer.from('112233445566778899').toString('base64')}.GhIjKl.${'q7w3E9r1T5y2U8i4O6p0A9s7D3f1'} y`,
  ],
  ['media', `data:image/png;base64,${'QUJD'.repeat(90)} then text`],
  ['placeholder', 'a <redacted:env:MY_SECRET#2> and [redacted] b'],
]
const samples: readonly (readonly [string, string])[] = [
  ...anchoredSecrets,
  ...newerSecrets,
  ...framedSecrets.map(([kind, text]): readonly [string, string] => [kind, text]),
  ...heuristics,
  ['known value', KNOWN],
  ['known value that begins with a quote', QUOTED],
  ['after a letter', `backup${anchoredSecrets[0]?.[1]}`],
  ['after _', `x_${anchoredSecrets[18]?.[1]}`],
]

function scrubber(): Scrubber {
  return createScrubber({ env: { MY_SECRET: KNOWN, OTHER_SECRET: QUOTED } })
}

function streamed(by: Scrubber, bytes: Buffer, cuts: readonly number[], side: Side): string {
  const stream = by.stream(side)
  const parts = [0, ...cuts].map((from, index) =>
    stream.push(bytes.subarray(from, cuts[index] ?? bytes.length)),
  )
  return Buffer.concat([...parts, stream.end()]).toString('latin1')
}

type Cell = { readonly kind: string; readonly secret: string; readonly form: string; readonly side: Side }

const allCells: readonly Cell[] = samples.flatMap(([kind, secret]) =>
  Object.keys(encodings).flatMap((form) =>
    (['sent', 'received'] as const).map((side) => ({ kind, secret, form, side })),
  ),
)
/** Every cell in a campaign; in the tests some of them, other ones for each seed. */
const random = seeded(campaignSeed)
const cells =
  campaignSize === 'short' ? Array.from({ length: 60 }, () => allCells[random(allCells.length)]) : allCells
/** Every offset in a campaign; every so many in the smaller sizes, other ones for each seed. */
const every = campaignSize === 'full' ? 1 : 40

test(`a stream gives what the whole text gives: ${cells.length} cells`, {
  timeout: scaled(3_600_000, 60_000),
}, () => {
  for (const cell of cells) if (cell !== undefined) checkCell(cell)
})

function checkCell({ kind, secret, form, side }: Cell): void {
  const where = `${kind}, ${form}, ${side}`
  const bytes = Buffer.from(`before: ${encodings[form]?.(secret)} after é\n`)
  const text = bytes.toString('latin1')
  const whole = scrubber().text(text, side)
  expect(streamed(scrubber(), bytes, [], side), `${where}: in one chunk`).toBe(whole)
  const bytewise = Array.from(
    { length: Math.min(bytes.length, campaignSize === 'full' ? 2000 : 100) - 1 },
    (_, at) => at + 1,
  )
  expect(streamed(scrubber(), bytes, bytewise, side), `${where}: byte by byte`).toBe(whole)
  // One scrubber for all cuts, once it has met what it learns from this text.
  const one = scrubber()
  one.text(text, side)
  const again = one.text(text, side)
  for (let at = 1 + random(every); at < bytes.length; at += every) {
    const got = streamed(one, bytes, [at], side)
    if (got !== again) expect(got, `${where}: cut at ${at}`).toBe(again)
  }
}
