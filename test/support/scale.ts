/** How much of a campaign to run: the full figure under `npm run campaign`, a tenth (rounded up) under `npm test`. */
export function scaled(full: number): number {
  return process.env.REPRISE_CAMPAIGN === 'full' ? full : Math.ceil(full / 10)
}
