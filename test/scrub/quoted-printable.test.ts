/** Known values in quoted-printable as mail writes it: only `=` and bytes beyond ASCII are codes. */
import { expect, test } from 'vitest'
import { createScrubber } from '../../src/scrub/index.ts'

const VALUES = [
  'abcd1234efgh=ijkl5678=x',
  '+/=+/=+/=abcd1234efgh',
  '=a=3x=abcd1234efgh',
  'with=3Dplain=abcd1234efgh',
  'aé"ü☃x/"abcdefgh1234',
]
const START = 'start of a mail '.repeat(20)

const others = (count: number): { readonly [name: string]: string } =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`OTHER${at}_SECRET`, `other${at}x${at * 7919}yz`]),
  )

function quotedPrintable(value: string): string {
  const code = (byte: number): string => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return [...Buffer.from(value)]
    .map((byte) => (byte === 0x3d || byte > 126 ? code(byte) : String.fromCharCode(byte)))
    .join('')
}

test.each([
  ['few', 0],
  ['many', 300],
])('are replaced in a text, and in a stream at every cut, with %s values', (_name, count) => {
  const own = Object.fromEntries(VALUES.map((value, at) => [`V${at}_SECRET`, value]))
  const scrubber = createScrubber({ env: { ...others(count), ...own } })
  const broken: string[] = []
  for (const value of VALUES)
    for (const form of value.includes('=3D') ? [value] : [value, quotedPrintable(value)]) {
      const whole = `${START}${form} end\n`
      const wanted = `${START}<redacted:env:V${VALUES.indexOf(value)}_SECRET> end\n`
      if (scrubber.text(whole, 'received') !== wanted) broken.push(scrubber.text(whole, 'received'))
      const bytes = Buffer.from(whole)
      for (let cut = START.length; cut < bytes.length; cut += 1) {
        const stream = scrubber.stream('received')
        const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()]
        const got = Buffer.concat(parts).toString()
        if (got !== wanted) broken.push(`${cut}: ${got}`)
      }
    }
  expect(broken).toEqual([])
})
