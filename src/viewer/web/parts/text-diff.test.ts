import { expect, test } from 'vitest'
import { diffedLines, fold } from './text-diff.tsx'

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join('')

test('numbers the lines of both sides', () => {
  expect(diffedLines('a\nb\nc\n', 'a\nx\nc\n')).toEqual([
    { state: 'same', text: 'a', before: 1, after: 1 },
    { state: 'removed', text: 'b', before: 2, after: null },
    { state: 'added', text: 'x', before: null, after: 2 },
    { state: 'same', text: 'c', before: 3, after: 3 },
  ])
})

test('folds what is far from a change', () => {
  const lines = diffedLines(
    `${numbered(1, 20)}old\n${numbered(22, 40)}`,
    `${numbered(1, 20)}new\n${numbered(22, 40)}`,
  )
  expect(fold(lines).map(({ folded, lines: part }) => [folded, part.length])).toEqual([
    [true, 17],
    [false, 8],
    [true, 16],
  ])
})
