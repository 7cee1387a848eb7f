import { expect, test } from 'vitest'
import { contentHash } from '../base/index.ts'
import { ChainHash } from './chain-hash.ts'

const FILE = Buffer.from('header\nfirst\n\nsecond\nseal\n')
const OFFSET = FILE.indexOf('seal')

const hashIn = (file: Buffer, chunkBytes: number, offset: number) => {
  const chain = new ChainHash()
  for (let at = 0; at < file.length; at += chunkBytes)
    chain.push(Buffer.from(file.subarray(at, at + chunkBytes)))
  return chain.upTo(offset)
}

test.each([1, 2, 3, 5, 7, 11, 26, 100])(
  'in chunks of %i bytes it is the hash of what is before the last line',
  (chunkBytes) => {
    expect(hashIn(FILE, chunkBytes, OFFSET)).toBe(contentHash(FILE.subarray(0, OFFSET)))
  },
)

test.each([1, 4, 100])(
  'a last line without a line break is the last line, in chunks of %i bytes',
  (chunkBytes) => {
    const cut = FILE.subarray(0, FILE.length - 1)
    expect(hashIn(cut, chunkBytes, OFFSET)).toBe(contentHash(FILE.subarray(0, OFFSET)))
  },
)

test('it has no hash for another place', () => {
  expect(hashIn(Buffer.from(`${FILE}more\n`), 8, OFFSET)).toBeNull()
})
