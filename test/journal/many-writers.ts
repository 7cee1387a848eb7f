/** Eight processes that append to one session at the same time, and what the journal must have then. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Journal } from '../../src/journal/index.ts'
import { scaled } from '../support/campaign.ts'

export const WRITERS = 8
export const EACH = scaled(5000)
const writer = fileURLToPath(new URL('../support/journal-writer.mjs', import.meta.url))

export async function runWriters(order: object): Promise<void> {
  const children = Array.from({ length: WRITERS }, (_, n) =>
    // Half of them wait for each append, half keep sixteen under way.
    spawn(
      process.execPath,
      [writer, JSON.stringify({ ...order, writer: n, count: EACH, inFlight: n % 2 === 0 ? 1 : 16 })],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    ),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual(Array.from({ length: WRITERS }, () => 0))
}

export async function expectEveryEventOnce(journal: Journal): Promise<void> {
  const seen = new Set<string>()
  let expected = 0
  for await (const { seq, event } of journal.read()) {
    expect(seq).toBe(expected)
    expected += 1
    seen.add((event as { call_id: string }).call_id)
  }
  expect(expected).toBe(WRITERS * EACH)
  expect(seen.size).toBe(WRITERS * EACH)
}
