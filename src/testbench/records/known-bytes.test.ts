import { expect, it } from 'vitest'
import { contentHash, utf8 } from '../../base/index.ts'
import type { Chunk } from '../../tape/index.ts'
import { knownBytes } from './known-bytes.ts'

const binary = new Uint8Array([0xff, 0x00, 0xfe])
const rows: readonly [name: string, chunk: Chunk, bytes: Uint8Array, isKnown: boolean][] = [
  ['the same text', { form: 'text', text: 'grüße' }, utf8('grüße'), true],
  ['the same binary bytes', { form: 'base64', bytes: binary }, binary.slice(), true],
  ['nothing, and nothing', { form: 'text', text: '' }, new Uint8Array(), true],
  ['one byte more', { form: 'text', text: 'grüße' }, utf8('grüße!'), false],
  ['one byte less', { form: 'text', text: 'grüße' }, utf8('grüß'), false],
  ['another byte', { form: 'base64', bytes: binary }, new Uint8Array([0xff, 0x01, 0xfe]), false],
  [
    'a chunk outside of its line',
    { form: 'cas', contentHash: contentHash(binary), lenBytes: 3 },
    binary,
    false,
  ],
]

it.each(rows)('%s', (_name, chunk, bytes, isKnown) => {
  const known = knownBytes(chunk, bytes)
  expect(known === null ? null : Buffer.from(known)).toEqual(isKnown ? Buffer.from(bytes) : null)
})

it('the result is what the tape has: the program may change its own bytes later', () => {
  const own = binary.slice()
  const known = knownBytes({ form: 'base64', bytes: binary }, own)
  own.fill(0)
  expect(known).toEqual(binary)
})
