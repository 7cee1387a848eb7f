/**
 * `npm run campaign` runs every campaign at its full figures; `npm run campaign -- tape-kill` only those
 * whose file name has that word; `--tenth` before the words runs a tenth of the figures. Exits with Vitest's
 * code.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const isTenth = process.argv.includes('--tenth')
const words = process.argv.slice(2).filter((word) => word !== '--tenth')
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const options = ['run', '--config', 'vitest.campaign.config.ts', '--testTimeout=3600000']
const result = spawnSync(process.execPath, [vitest, ...options, ...words], {
  stdio: 'inherit',
  env: { ...process.env, REPRISE_CAMPAIGN: isTenth ? 'tenth' : 'full' },
})
process.exitCode = result.status ?? 1
