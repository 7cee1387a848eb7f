/** Eight processes append to one session at the same time: nothing lost, nothing doubled, no gap. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sessionFiles } from '../../src/journal/file/session-files.ts'
import { verifyJournal } from '../../src/journal/file/verify-journal.ts'
import { type Journal, openJournal, openPostgresJournal } from '../../src/journal/index.ts'
import { startPostgres } from '../support/postgres.ts'
import { scaled } from '../support/scale.ts'
import { tempFolder } from '../support/temp-folder.ts'

const WRITERS = 8
const EACH = scaled(5000)
const writer = fileURLToPath(new URL('../support/journal-writer.mjs', import.meta.url))

async function runWriters(order: object): Promise<void> {
  const children = Array.from({ length: WRITERS }, (_, n) =>
    // Half of them wait for each append, half keep sixteen under way.
    spawn(process.execPath, [writer, JSON.stringify({ ...order, writer: n, count: EACH, inFlight: n % 2 === 0 ? 1 : 16 })], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual(Array.from({ length: WRITERS }, () => 0))
}

async function expectEveryEventOnce(journal: Journal): Promise<void> {
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

test(`file: ${WRITERS} processes x ${EACH} appends`, async () => {
  const dir = join(tempFolder(), 'sessions')
  await runWriters({ options: { dir, session: 's', rotateBytes: 1_000_000 } })
  await using journal = await openJournal({ dir, session: 's' })
  await expectEveryEventOnce(journal)
  expect(await verifyJournal(sessionFiles(dir, 's'), null)).toMatchObject({ ok: true, records: WRITERS * EACH, unsealedLines: 0, repairs: 0 })
})

test(`postgres: ${WRITERS} processes x ${EACH} appends`, async () => {
  const server = await startPostgres()
  try {
    await runWriters({ url: server.url, session: 's' })
    await using journal = await openPostgresJournal({ url: server.url, session: 's' })
    await expectEveryEventOnce(journal)
  } finally {
    await server.stop()
  }
})
