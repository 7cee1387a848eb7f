import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainUrl } from './dispatched-request.ts'

test.each([
  ['http://127.0.0.1:8080', '/item?n=1', 'http://127.0.0.1:8080/item?n=1'],
  ['https://api.example.com', '/v1/chat/completions', 'https://api.example.com/v1/chat/completions'],
  ['https://api.example.com', '/a.b/c%20d', 'https://api.example.com/a.b/c%20d'],
  ['http://API.example.com', '/', null],
  ['http://example.com:80', '/', null],
  ['http://example.com', '/a/../b', null],
  ['http://example.com', '/a/%2E%2e/b', null],
  ['http://example.com', '//host/b', null],
  ['http://example.com', "/it's", null],
  ['http://example.com', '/a#b', null],
  ['http://example.com', '/.', null],
  ['http://example.com', '/ü', null],
  ['not a url', '/', null],
])('%s and %s', (origin, path, url) => {
  expect(plainUrl(origin, path)).toBe(url)
})

test('what is put together is what a URL would make of it', () => {
  const character = fc.constantFrom(...'abAB01-._~!$&\'()*+,;=:@/?#[]%2eE \\"<>^`{|}\t')
  const paths = fc.array(character, { maxLength: 14 }).map((characters) => `/${characters.join('')}`)
  const origins = fc.constantFrom(
    'http://a.example',
    'https://a.example:8443',
    'http://[::1]:9',
    'http://A.example',
    'http://a.example:80',
  )
  fc.assert(
    fc.property(origins, paths, (origin, path) => {
      const url = plainUrl(origin, path)
      if (url !== null) expect(url).toBe(new URL(path, origin).href)
    }),
    { numRuns: 3000 },
  )
})
