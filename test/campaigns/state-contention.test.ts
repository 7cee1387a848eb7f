/**
 * 8 processes add 1 to one key by compare-and-swap, 250 times each, on the drivers without a server: exactly
 * 2,000.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { initState, resumeState } from '../../src/state/index.ts'
import { contend, each, PROCESSES } from '../state/contend.ts'
import { ended, startWorker } from '../state/processes.ts'
import { newerNode } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

test(`filesystem: ${PROCESSES} × ${each} increments`, async () => {
  const root = tempFolder()
  await contend(root)
  await using state = await resumeState(root, 'shared')
  expect(await state.read('counter')).toBe(`${PROCESSES * each}`)
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
  const handles = await Promise.all(
    Array.from({ length: PROCESSES }, () => initState('memory:contention', { sessionId: 'shared' })),
  )
  await Promise.all(
    handles.map(async (state) => {
      for (let done = 0; done < each; done += 1) await state.update('counter', (n) => `${Number(n ?? 0) + 1}`)
    }),
  )
  expect(await handles[0]?.read('counter')).toBe(`${PROCESSES * each}`)
})
