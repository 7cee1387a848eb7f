/** Eight processes append to one session at the same time: nothing lost, nothing doubled, no gap. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionFiles } from '../../src/journal/file/session-files.ts'
import { verifyJournal } from '../../src/journal/file/verify-journal.ts'
import { openJournal } from '../../src/journal/index.ts'
import { EACH, expectEveryEventOnce, runWriters, WRITERS } from '../journal/many-writers.ts'
import { tempFolder } from '../support/temp-folder.ts'

test(`file: ${WRITERS} processes x ${EACH} appends`, async () => {
  const dir = join(tempFolder(), 'sessions')
  await runWriters({ options: { dir, session: 's', rotateBytes: 1_000_000 } })
  await using journal = await openJournal({ dir, session: 's' })
  await expectEveryEventOnce(journal)
  expect(await verifyJournal(sessionFiles(dir, 's'), null)).toMatchObject({
    ok: true,
    records: WRITERS * EACH,
    unsealedLines: 0,
    repairs: 0,
  })
})
