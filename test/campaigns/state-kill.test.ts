/** SIGKILL at random moments during writes, on every driver that outlives a process: whole values, right owners, and the next one opens. */
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { checkKilled } from '../state/check-killed.ts'
import { ended, firstLine, startWorker } from '../state/processes.ts'
import { newerNode, runUnderNewerNodes } from '../support/newer-node.ts'
import { startPostgres } from '../support/postgres.ts'
import { scaled } from '../support/scale.ts'
import { tempFolder } from '../support/temp-folder.ts'

const kills = scaled(300)

/** Two writers at a time, so that one is in the middle of something, or waiting for the other, whenever one dies. */
async function killAtRandom(root: string, times: number, node = process.execPath): Promise<void> {
  const keys = new Set<string>()
  let next = startWorker('write-forever', [root, 'writer-first'], node)
  await firstLine(next)
  for (let kill = 0; kill < times; kill += 1) {
    const worker = next
    next = startWorker('write-forever', [root, `writer-${kill}`], node)
    const ready = firstLine(next)
    await Promise.race([ready, once(next, 'exit')])
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
    worker.kill('SIGKILL')
    expect(await ended(worker)).toEqual({ code: null, signal: 'SIGKILL' })
    if (kill % 10 === 9 || kill === times - 1) {
      next.kill('SIGKILL')
      await ended(next)
      for (const key of await checkKilled(root)) keys.add(key)
      next = startWorker('write-forever', [root, `writer-again-${kill}`], node)
      await firstLine(next)
    }
  }
  next.kill('SIGKILL')
  await ended(next)
  expect([...keys].sort()).toEqual(expect.arrayContaining(['x', 'y']))
}

if (loadSqlite() === null) {
  test(`filesystem: ${kills} kills`, () => killAtRandom(tempFolder(), kills))

  test(`postgres: ${kills} kills`, async () => {
    const server = await startPostgres()
    try {
      await killAtRandom(server.url, kills)
    } finally {
      await server.stop()
    }
  })
  runUnderNewerNodes('test/campaigns/state-kill.test.ts', ['node22'])
} else {
  test(`sqlite: ${kills} kills`, () => killAtRandom(`sqlite:${join(tempFolder(), 'state.db')}`, kills))
  if (newerNode('node22') === null) test(`filesystem: ${kills} kills`, () => killAtRandom(tempFolder(), kills))
}
