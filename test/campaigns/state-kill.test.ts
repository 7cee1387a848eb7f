/**
 * SIGKILL at random moments during writes, on the drivers of files: whole values, right owners, and the next
 * one opens.
 */
import { join } from 'node:path'
import { test } from 'vitest'
import { loadSqlite } from '../../src/real/sqlite.ts'
import { killAtRandom } from '../state/kill-at-random.ts'
import { scaled } from '../support/campaign.ts'
import { runUnderNewerNodes } from '../support/newer-node.ts'
import { tempFolder } from '../support/temp-folder.ts'

const kills = scaled(300, 6)

if (loadSqlite() !== null)
  test(`sqlite: ${kills} kills`, () => killAtRandom(`sqlite:${join(tempFolder(), 'state.db')}`, kills))
else runUnderNewerNodes('test/campaigns/state-kill.test.ts', ['node22'], 'sqlite')

test(`filesystem: ${kills} kills`, () => killAtRandom(tempFolder(), kills))
