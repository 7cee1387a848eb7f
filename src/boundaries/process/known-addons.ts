/**
 * Native addons that a replay may load. Each row: the package (with `*` for the name of a platform), the
 * versions that were reviewed, why it is harmless, and the test that shows it. Any other addon needs
 * `--allow-addon`.
 */

export type KnownAddon = {
  readonly package: string
  /** At least this version, and below that one. */
  readonly from: string
  readonly below: string
  readonly reason: string
  readonly test: string
}

const COMPUTES = 'computes from its arguments; opens nothing'

export const knownAddons: readonly KnownAddon[] = [
  {
    package: 'bufferutil',
    from: '4.0.0',
    below: '5.0.0',
    reason: COMPUTES,
    test: 'test/e2e/addons.ci.test.ts',
  },
  {
    package: 'utf-8-validate',
    from: '5.0.0',
    below: '7.0.0',
    reason: COMPUTES,
    test: 'test/e2e/addons.ci.test.ts',
  },
  {
    // Of msgpackr, which BullMQ and LMDB use.
    package: '@msgpackr-extract/msgpackr-extract-*',
    from: '2.0.0',
    below: '4.0.0',
    reason: COMPUTES,
    test: 'test/e2e/addons.ci.test.ts',
  },
  {
    package: '@oxc-parser/binding-*',
    from: '0.50.0',
    below: '1.0.0',
    reason: 'parses text; opens nothing',
    test: 'test/e2e/addons.test.ts',
  },
  {
    package: '@rollup/rollup-*',
    from: '4.0.0',
    below: '5.0.0',
    reason: 'parses text and hashes; opens nothing',
    test: 'test/e2e/addons.test.ts',
  },
  ...[
    'node-pty',
    '@lydell/node-pty-*',
    'node-pty-prebuilt-multiarch',
    '@homebridge/node-pty-prebuilt-multiarch',
  ].map((name) => ({
    package: name,
    from: '0.10.0',
    below: '2.0.0',
    reason: 'a terminal is captured: its functions are replaced when it is loaded',
    test: 'test/e2e/terminal-on-tape.test.ts',
  })),
  {
    package: 'better-sqlite3',
    from: '7.0.0',
    below: '14.0.0',
    reason: 'a database in memory is not an input; opening a file is refused',
    test: 'test/e2e/addons.ci.test.ts',
  },
]

/** The row for a package, if its version is in the range. */
export function knownAddon(name: string, version: string): KnownAddon | null {
  return (
    knownAddons.find(
      (row) =>
        matches(row.package, name) &&
        compareVersions(version, row.from) >= 0 &&
        compareVersions(version, row.below) < 0,
    ) ?? null
  )
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/**
 * Compares by numbers; a part after a hyphen counts as nothing. Text that is not a version is below every
 * version.
 */
function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  for (let at = 0; at < 3; at += 1) {
    const difference = (left[at] ?? -1) - (right[at] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

function numbers(version: string): number[] {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version)
  return found === null ? [] : found.slice(1).map(Number)
}
