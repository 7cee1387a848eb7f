/** `npm run campaign` runs every campaign at its full figures; `npm run campaign -- tape-kill` only those whose file name holds that word. */
import { spawnSync } from 'node:child_process'

const words = process.argv.slice(2)
// Whole programs are a campaign too: each is replayed many times.
const filters = words.length > 0 ? words.flatMap((word) => [`test/campaigns/${word}`, `test/e2e/${word}`]) : ['test/campaigns', 'test/e2e/world']
const result = spawnSync('npx', ['vitest', 'run', ...filters, '--testTimeout=3600000'], {
  stdio: 'inherit',
  env: { ...process.env, REPRISE_CAMPAIGN: 'full' },
})
process.exitCode = result.status ?? 1
