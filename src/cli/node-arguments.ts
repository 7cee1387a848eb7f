/**
 * Which of Node's own options a tape may name without a word of the user's: options that neither load code
 * nor write files nor open ports. Everything else is not trusted, also what a newer Node brings.
 */
import { fileURLToPath } from 'node:url'
import { packageOf } from '../boundaries/caller.ts'

const HARMLESS = [
  /^--(?:no-)?(?:warnings|deprecation|addons|enable-source-maps|trace-warnings|trace-deprecation|trace-uncaught|trace-exit|throw-deprecation)$/,
  /^--(?:no-)?(?:pending-deprecation|preserve-symlinks|preserve-symlinks-main|expose-gc|expose_gc|verify-base-objects|global-search-paths)$/,
  /^--(?:no-)?(?:experimental|harmony)-(?!loader|sea-config|config-file|default-config-file|test-coverage)[a-z0-9-]+$/,
  /^--(?:max-old-space-size|max-semi-space-size|max-http-header-size|stack-trace-limit|stack-size|network-family-autoselection-attempt-timeout)=\d+$/,
  /^--(?:max_old_space_size|max_semi_space_size|stack_size)=\d+$/,
  /^--(?:unhandled-rejections|dns-result-order|disable-warning|title|conditions|input-type|experimental-default-type)=[\w:.-]+$/,
  /^--(?:no-)?(?:strip-types|require-module|webstorage|network-family-autoselection|insecure-http-parser|tls-min-v1\.[0-3]|tls-max-v1\.[0-3])$/,
]
/** Options whose value is the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  '--conditions',
  '-C',
  '--input-type',
  '--unhandled-rejections',
  '--disable-warning',
  '--title',
])
const LOADS = /^(--import|--require|-r|--loader|--experimental-loader)(?:=(.*))?$/
/** Packages that compile modules of the program, and nothing else. */
const LOADERS: ReadonlySet<string> = new Set([
  'tsx',
  'ts-node',
  'esbuild-register',
  '@swc-node/register',
  '@esbuild-kit/esm-loader',
  'jiti',
  'amaro',
])

/** `isInstalled` returns whether a path is a file of this machine. */
export function untrustedOptions(words: readonly string[], isInstalled: (file: string) => boolean): string[] {
  const found: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const loads = LOADS.exec(word)
    if (loads !== null) {
      const value = loads[2] ?? words[at + 1] ?? ''
      if (loads[2] === undefined) at += 1
      if (!isLoader(value, isInstalled)) found.push(`${loads[1]} ${value}`)
    } else if (WITH_VALUE.has(word)) at += 1
    else if (/^(?:-e|-p|-pe|--eval|--print)$/.test(word)) at += 1
    else if (!/^(?:--eval|--print)=/.test(word) && !HARMLESS.some((rule) => rule.test(word))) found.push(word)
  }
  return found
}

/** A file of a known loader, below `node_modules`; or its name, which Node looks up from the program. */
function isLoader(value: string, isInstalled: (file: string) => boolean): boolean {
  if (/^[@a-z][\w@./-]*$/i.test(value) && !value.includes('..')) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(value)?.[0] ?? ''
    if (LOADERS.has(name)) return true
  }
  const file = value.startsWith('file:') ? pathOf(value) : value
  const name = file === null || file.includes('/../') ? null : packageOf(file)
  return file !== null && name !== null && LOADERS.has(name) && isInstalled(file)
}

function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url)
  } catch {
    // No path of this machine.
    return null
  }
}
