import { expect, test } from 'vitest'
import { createWindowPages } from './window-pages.ts'

function list(total: () => number) {
  const asked: number[] = []
  let changes = 0
  const pages = createWindowPages<number>({
    fetch: async (from, count) => {
      asked.push(from)
      const rows = Array.from({ length: Math.max(0, Math.min(count, total() - from)) }, (_, n) => from + n)
      return { total: total(), capped: false, rows }
    },
    changed: () => {
      changes += 1
    },
    failed: (error) => {
      throw error
    },
  })
  const settle = async (): Promise<void> => {
    const before = changes
    await new Promise((resolve) => setTimeout(resolve))
    if (changes !== before) await settle()
  }
  return { pages, asked, settle }
}

test('fetches the pages in view, and each once', async () => {
  const { pages, asked, settle } = list(() => 1_000_000)
  pages.want(0, 30)
  await settle()
  pages.want(10, 40)
  pages.want(500_000, 500_030)
  await settle()
  expect([pages.total(), pages.row(30), pages.row(500_005), pages.row(250_000)]).toEqual([
    1_000_000,
    30,
    500_005,
    null,
  ])
  expect(asked).toEqual([0, 500_000])
})

test('forgets pages that are long out of view', async () => {
  const { pages, settle } = list(() => 1_000_000)
  for (let page = 0; page < 100; page += 1) {
    pages.want(page * 200, page * 200 + 10)
    await settle()
  }
  expect([pages.row(0), pages.row(99 * 200)]).toEqual([null, 99 * 200])
})

test('a list that has grown has new rows and a new total', async () => {
  let total = 150
  const { pages, settle } = list(() => total)
  pages.want(0, 30)
  await settle()
  expect([pages.total(), pages.row(149), pages.row(150)]).toEqual([150, 149, null])
  total = 180
  pages.grow()
  await settle()
  expect([pages.total(), pages.row(170)]).toEqual([180, 170])
})
