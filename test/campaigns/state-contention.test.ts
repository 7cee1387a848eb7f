/** 8 processes add 1 to one key by compare-and-swap, 250 times each, on every driver that processes can share: exactly 2,000. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { initState, resumeState } from '../../src/state/index.ts'
import { ended, startWorker } from '../state/processes.ts'
import { newerNode } from '../support/newer-node.ts'
import { startPostgres } from '../support/postgres.ts'
import { scaled } from '../support/scale.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PROCESSES = 8
const each = scaled(250)

async function contend(root: string, node = process.execPath): Promise<void> {
  const workers = Array.from({ length: PROCESSES }, () => startWorker('increment', [root, String(each)], node))
  const ends = await Promise.all(workers.map(ended))
  expect(ends.map(({ code }) => code)).toEqual(Array(PROCESSES).fill(0))
}

test(`filesystem: ${PROCESSES} × ${each} increments`, async () => {
  const root = tempFolder()
  await contend(root)
  await using state = await resumeState(root, 'shared')
  expect(await state.read('counter')).toBe(`${PROCESSES * each}`)
})

test(`postgres: ${PROCESSES} × ${each} increments`, async () => {
  const server = await startPostgres()
  try {
    await contend(server.url)
    await using state = await resumeState(server.url, 'shared')
    expect(await state.read('counter')).toBe(`${PROCESSES * each}`)
  } finally {
    await server.stop()
  }
})

test(`sqlite: ${PROCESSES} × ${each} increments`, async (context) => {
  const node = loadSqlite() === null ? newerNode('node22') : process.execPath
  if (node === null) return context.skip('node22')
  const root = `sqlite:${join(tempFolder(), 'state.db')}`
  await contend(root, node)
  const reader = startWorker('read-key', [root, 'shared', 'counter'], node)
  const chunks: Buffer[] = []
  reader.stdout?.on('data', (chunk) => chunks.push(chunk))
  expect(await ended(reader)).toEqual({ code: 0, signal: null })
  expect(Buffer.concat(chunks).toString()).toBe(`${PROCESSES * each}`)
})

test(`memory: ${PROCESSES} handles × ${each} increments`, async () => {
  const handles = await Promise.all(Array.from({ length: PROCESSES }, () => initState('memory:contention', { sessionId: 'shared' })))
  await Promise.all(
    handles.map(async (state) => {
      for (let done = 0; done < each; done += 1) await state.update('counter', (n) => `${Number(n ?? 0) + 1}`)
    }),
  )
  expect(await handles[0]?.read('counter')).toBe(`${PROCESSES * each}`)
})
