/**
 * The size and the seed of a campaign.
 *
 * `npm run campaign` runs the full figures, `npm run campaign -- --tenth` a tenth, and `npm test` a short
 * form of a few seconds. All campaigns of a run share one seed. The run prints it at its end, and
 * `REPRISE_SEED=<seed>` repeats it. Properties of fast-check in a file that imports this one use the same
 * seed.
 */
import fc from 'fast-check'

export type CampaignSize = 'short' | 'tenth' | 'full'

export const campaignSize = sizeFrom(process.env.REPRISE_CAMPAIGN)
export const campaignSeed = Number(process.env.REPRISE_SEED)
if (!Number.isSafeInteger(campaignSeed))
  throw new TypeError(`REPRISE_SEED is not an integer: ${process.env.REPRISE_SEED}`)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: campaignSeed })

/** The figure for this run; the short form is a hundredth (rounded up) unless the campaign says otherwise. */
export function scaled(full: number, short = Math.ceil(full / 100)): number {
  switch (campaignSize) {
    case 'full':
      return full
    case 'tenth':
      return Math.ceil(full / 10)
    case 'short':
      return short
  }
}

/** How often a program of other people is replayed on each Node. A full campaign does it ten times. */
export const compatTimeout = (usual: number): number => (campaignSize === 'full' ? 3_600_000 : usual)
export const compatReplays = (usual: number): number => (campaignSize === 'full' ? 10 : usual)

function sizeFrom(text: string | undefined): CampaignSize {
  if (text === undefined || text === '' || text === 'short') return 'short'
  if (text === 'tenth' || text === 'full') return text
  throw new TypeError(`REPRISE_CAMPAIGN is short, tenth or full, not ${text}`)
}
