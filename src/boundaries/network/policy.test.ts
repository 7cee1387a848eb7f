import { expect, test } from 'vitest'
import { denyNetwork, wrongHost } from './policy.ts'

test.each([
  ['api.example.com', 'https://api.example.com/v1', true],
  ['api.example.com', 'https://API.example.com:8443/v1', true],
  ['api.example.com', 'https://evil-api.example.com/', false],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://notexample.com/', false],
  ['127.0.0.0/8', 'http://127.0.0.1:4000/', true],
  ['127.0.0.0/8', 'http://128.0.0.1/', false],
  ['::1/128', 'http://[::1]:80/', true],
  ['127.0.0.1', 'http://127.0.0.1/', true],
  ['localhost:4000', 'http://localhost:4000/', true],
  ['localhost:4000', 'http://localhost:4001/', false],
])('%s and %s: %s', (entry, url, allowed) => {
  expect(wrongHost(entry)).toBeNull()
  expect(denyNetwork([entry]).allows(url)).toBe(allowed)
})

test.each(['10.0.0.0/99', 'a.b/8', 'two words', '*', 'x*.com'])('%s is refused', (entry) => {
  expect(wrongHost(entry)).not.toBeNull()
})
