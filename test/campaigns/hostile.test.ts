/**
 * Mutated inputs for every loader: each is loaded or refused with a code, in less than 2 s of the processor
 * and 500 MB. The seed of each loader is a valid input.
 */
import { expect, test } from 'vitest'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { runChild } from '../support/run-child.ts'

const INPUTS = scaled(100_000, 40)
const script = new URL('../support/hostile-loader.mjs', import.meta.url).pathname

const LOADERS = [
  'tape',
  'cassette',
  'asciicast',
  'journal',
  'annotations',
  'process-tape',
  'mcp-cassette',
  'state',
  'claude',
  'codex',
]

/** The short form starts one process for all of them. */
const groups = INPUTS < 1000 ? [LOADERS] : LOADERS.map((loader) => [loader])

test.each(groups)(`${INPUTS} inputs: %s`, { timeout: 3_600_000 }, async (...loaders) => {
  const args = [script, loaders.join(','), String(INPUTS), String(campaignSeed)]
  const { stdout, stderr } = await runChild(process.execPath, args, {})
  expect(stderr).toBe('')
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ loader }) => loader)).toEqual(loaders)
  for (const { tried, loaded, refused, slowestMs, peakMb, failures } of results) {
    expect(failures).toEqual([])
    expect([tried, loaded + refused]).toEqual([INPUTS, INPUTS])
    expect(slowestMs).toBeLessThan(2000)
    expect(peakMb).toBeLessThan(500)
  }
  if (INPUTS > 1000) console.log(stdout.trim())
})
