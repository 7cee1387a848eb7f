/** 8 processes add 1 to one key in Postgres by compare-and-swap, 250 times each: exactly 2,000. */
import { expect, test } from 'vitest'
import { resumeState } from '../../src/state/index.ts'
import { contend, each, PROCESSES } from '../state/contend.ts'
import { startPostgres } from '../support/postgres.ts'

test(`${PROCESSES} × ${each} increments`, async () => {
  const server = await startPostgres()
  try {
    await contend(server.url)
    await using state = await resumeState(server.url, 'shared')
    expect(await state.read('counter')).toBe(`${PROCESSES * each}`)
  } finally {
    await server.stop()
  }
})
