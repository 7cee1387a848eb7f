/**
 * Kills writers of workers/write-forever.mjs at random moments and checks what they leave. The moments come
 * from the seed of the campaign.
 */
import { expect } from 'vitest'
import { campaignSeed } from '../support/campaign.ts'
import { seeded } from '../support/seeded.ts'
import { checkKilled } from './check-killed.ts'
import { ended, firstLine, startWorker } from './processes.ts'

/**
 * Two writers at a time, each killed at its own moment: in the middle of something, or waiting for the other.
 */
export async function killAtRandom(
  root: string,
  times: number,
  settled: () => Promise<void> = async () => undefined,
): Promise<void> {
  const random = seeded(campaignSeed)
  for (let kill = 0; kill < times; kill += 2) {
    const pair = [
      startWorker('write-forever', [root, `writer-${kill}`]),
      startWorker('write-forever', [root, `writer-${kill + 1}`]),
    ]
    await Promise.all(pair.map(firstLine))
    await Promise.all(
      pair.map(async (worker) => {
        await new Promise((resolve) => setTimeout(resolve, random(40)))
        worker.kill('SIGKILL')
        expect(await ended(worker)).toEqual({ code: null, signal: 'SIGKILL' })
      }),
    )
    await settled()
    await checkKilled(root)
  }
}
