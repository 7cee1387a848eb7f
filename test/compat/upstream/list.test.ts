/**
 * Every behaviour of the list has exactly one test, or is named as not done yet; every deliberate difference
 * is a row of the page.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** How many behaviours each document has. */
const TOTAL = { A: 119, B: 119, C: 39, D: 64 }
const every = Object.entries(TOTAL).flatMap(([document, count]) =>
  Array.from({ length: count }, (_, at) => `${document}${at + 1}`),
)

const page = readFileSync(join(import.meta.dirname, '../../../docs/format/compatibility.md'), 'utf8')
const [differences = '', notYet = ''] = page.split('## Not yet\n')
const rows = (text: string): string[] => [...text.matchAll(/^\| ([ABCD]\d+) \|/gm)].map(([, id]) => id ?? '')

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name !== 'list.test.ts')
  .flatMap((name) => [
    ...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(
      /^\s*(same|superset|differs)\(\s*'([ABCD]\d+)'/gm,
    ),
  ])
  .map(([, verdict, id]) => ({ verdict, id: id ?? '' }))

const inOrder = (ids: readonly string[]): string[] =>
  [...ids].sort((a, b) => every.indexOf(a) - every.indexOf(b))

test('341 behaviours: each has one test, or is a row of what is not done yet', () => {
  expect(every).toHaveLength(341)
  expect(inOrder([...tests.map(({ id }) => id), ...rows(notYet)])).toEqual(every)
})

test('the page has a row for every test of a deliberate difference, and no other', () => {
  const differing = tests.filter(({ verdict }) => verdict === 'differs').map(({ id }) => id)
  expect(inOrder(rows(differences))).toEqual(inOrder(differing))
})

test('every row says what upstream does, what Reprise does, and why', () => {
  const cells = [...differences.matchAll(/^\| [ABCD]\d+ \|(.*)\|$/gm)].map(([, text]) =>
    (text ?? '').split(/(?<!\\)\|/).map((cell) => cell.trim()),
  )
  expect(cells.filter((row) => row.length !== 3 || row.some((cell) => cell === ''))).toEqual([])
})
