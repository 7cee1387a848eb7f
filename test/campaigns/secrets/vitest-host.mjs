/** The same run as a test of Vitest that is recorded. */
import { recorded } from 'reprise/vitest'
import { test } from 'vitest'
import { perform } from './agent.mjs'

const { seed, cells, url, folder, tape } = JSON.parse(process.env.CAMPAIGN_PLAN ?? '{}')

test(
  'sends secrets',
  { timeout: 600_000 },
  recorded({ tape }, () => perform(seed, cells, url, folder)),
)
