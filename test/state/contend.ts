/** Processes that add 1 to one key by compare-and-swap at the same time. */
import { expect } from 'vitest'
import { scaled } from '../support/campaign.ts'
import { ended, startWorker } from './processes.ts'

export const PROCESSES = 8
export const each = scaled(250, 10)

export async function contend(root: string, node = process.execPath): Promise<void> {
  const workers = Array.from({ length: PROCESSES }, () =>
    startWorker('increment', [root, String(each)], node),
  )
  const ends = await Promise.all(workers.map(ended))
  expect(ends.map(({ code }) => code)).toEqual(Array(PROCESSES).fill(0))
}
