import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ignoredPaths } from './ignored-paths.ts'

test.each([
  ['*.log', 'a/b/run.log', true],
  ['*.log', 'a/b/run.txt', false],
  ['build', 'a/build/x/y.js', true],
  ['./build/', 'build/x.js', true],
  ['a/*', 'a/b/c', true],
  ['a/?', 'a/bc', false],
  ['a/**/c', 'a/c', true],
  ['a/**/c', 'a/x/y/c', true],
  ['a/**', 'b/a', false],
  ['{a,b/*}.js', 'b/x.js', true],
  ['{a,b}.js', 'x/c.js', false],
  ['{a', '{a', true],
  ['(a+)+$', 'aaaa', false],
  ['', 'a', false],
])('%j of %j: %s', (pattern, path, expected) => {
  expect(ignoredPaths([pattern])(path)).toBe(expected)
})

/** The same as an expression. */
function expressionOf(pattern: string): RegExp {
  const trimmed = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  let open = 0
  const source = trimmed.replace(/\*\*\/|\*\*|./gs, (part, at: number) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    if (part === '{' && trimmed.includes('}', at)) {
      open += 1
      return '(?:'
    }
    if (part === '}' && open > 0) {
      open -= 1
      return ')'
    }
    if (part === ',' && open > 0) return '|'
    return part.replace(/[.+^$()|[\]\\{}]/, '\\$&')
  })
  return new RegExp(`^${trimmed.includes('/') ? '' : '(?:.*/)?'}${source}${')'.repeat(open)}(?:/.*)?$`, 's')
}

test('matches what the expression of the pattern matches', () => {
  const words = (...parts: string[]) =>
    fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((of) => of.join(''))
  fc.assert(
    fc.property(
      words('a', 'b', '/', '*', '**', '**/', '?', '{', '}', ',', '.', '{a,b}'),
      words('a', 'b', '/', '.', '{', ',', 'ab'),
      (pattern, path) => {
        expect(ignoredPaths([pattern])(path)).toBe(expressionOf(pattern).test(path))
      },
    ),
    { numRuns: 3000 },
  )
})

test('a pattern that makes an expression try every way ends', () => {
  const matches = ignoredPaths([`${'**/'.repeat(60)}${'*a'.repeat(60)}`])
  expect(matches(`${'a/'.repeat(40)}${'a'.repeat(59)}b`)).toBe(false)
})
