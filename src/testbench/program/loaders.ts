/**
 * Which module loaders a process was started with: `--import`, `--require`, `--loader`, on the command line
 * or in NODE_OPTIONS. Each is a package; its dependencies belong to it. A file of the project itself
 * (`--import ./setup.mjs`) is part of the program, and no loader.
 */
import { dirname, join } from 'node:path'
import { packageOf } from '../../boundaries/caller.ts'
import { fs } from '../../real/fs.ts'
import { realCwd, realEnv } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'

export type Loaders = {
  /** As they were named on the command line. */
  readonly names: readonly string[]
  /** With their dependencies. */
  readonly packages: ReadonlySet<string>
}

/** The loaders of this process. */
export function startedLoaders(): Loaders {
  const words = [...startedAs.execArgv, ...(realEnv.NODE_OPTIONS ?? '').split(/\s+/)]
  const names = [...loaderPackages(words, () => [])]
  return { names, packages: names.length === 0 ? new Set() : loaderPackages(words, manifestDependencies) }
}

function manifestDependencies(name: string): string[] {
  for (let folder = realCwd(); ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    if (fs.existsSync(manifest))
      return Object.keys(JSON.parse(fs.readFileSync(manifest, 'utf8')).dependencies ?? {})
    if (folder === dirname(folder)) return []
  }
}

const FLAGS = /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=(.*))?$/

/** `dependenciesOf` returns the names in a package's manifest. */
export function loaderPackages(
  words: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const packages = new Set<string>()
  words.forEach((word, at) => {
    const flag = FLAGS.exec(word)
    const name = flag === null ? null : packageNamed(flag[1] ?? words[at + 1] ?? '')
    if (name !== null && name !== 'reprise')
      for (const each of [name, ...dependenciesOf(name)]) packages.add(each)
  })
  return packages
}

/** `tsx`, `ts-node/esm`, `@swc-node/register/esm-register`, or a path below node_modules. */
function packageNamed(specifier: string): string | null {
  const known = packageOf(specifier)
  if (known !== null) return known
  if (/^(?:[./\\]|[a-z]+:|[A-Za-z]:[\\/])/.test(specifier) || specifier === '') return null
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null
}
