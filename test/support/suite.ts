/**
 * The three suites, one Vitest configuration each.
 *
 * - `quick`: what `npm test` runs, everything but `*.ci.test.ts`.
 * - `ci`: what `.ci/run` runs in addition, `*.ci.test.ts`. They need a database server, a browser, the
 *   registry or another package manager.
 * - `campaign`: what `npm run campaign` runs, test/campaigns and the whole programs of test/e2e/world.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { configDefaults, type ViteUserConfig } from 'vitest/config'

export type SuiteName = 'quick' | 'ci' | 'campaign'

/** Programs of other people over connections. `.ci/run` has them in the suite `ci`; a full campaign replays them ten times. */
const CONNECTIONS = ['clients', 'servers', 'http2', 'opentelemetry'].map(
  (name) => `test/compat/${name}.ci.test.ts`,
)

export const CI_ONLY = ['src/**/*.ci.test.ts', 'test/**/*.ci.test.ts']

const files: Readonly<Record<SuiteName, { readonly include: string[]; readonly exclude: string[] }>> = {
  quick: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: CI_ONLY },
  ci: { include: CI_ONLY, exclude: [] },
  campaign: {
    include: [
      'test/campaigns/**/*.test.ts',
      'test/e2e/world.test.ts',
      ...(process.env.REPRISE_CAMPAIGN === 'full' ? CONNECTIONS : []),
    ],
    exclude: [],
  },
}

export function suite(name: SuiteName): ViteUserConfig {
  const { include, exclude } = files[name]
  process.env.REPRISE_SUITE = name
  process.env.REPRISE_SEED ??= String(seedOfCommit() ?? randomInt(2 ** 31))
  return {
    test: {
      include,
      exclude: [...configDefaults.exclude, ...exclude],
      pool: 'forks',
      // Tests wait for other processes a fifth of their time: half as many workers again as there are
      // processors keep them busy.
      maxWorkers: Math.ceil(availableParallelism() * 1.5),
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { requireAssertions: true },
      reporters: ['default', './test/support/closing-line.ts'],
      env: { NO_COLOR: '1', REPRISE_SEED: process.env.REPRISE_SEED },
      globalSetup: ['./test/support/assemble-wasm.ts'],
      setupFiles: ['./test/support/quick-start.ts'],
    },
  }
}

/**
 * The start of the commit's id, except for full campaigns: a commit passes or fails each time, and the next
 * commit tries other cells.
 */
function seedOfCommit(): number | undefined {
  if (process.env.REPRISE_CAMPAIGN === 'full') return undefined
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : undefined
}
