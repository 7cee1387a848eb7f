/**
 * Makes few files of the entries of the library, `dist/library`: importing 517 modules takes most of half a
 * second. What several entries share is in files of its own, so that each module still exists once. The
 * modules that tsc made stay as they are: their types are those of the package.
 *
 * Decision 0336.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { nodeModulesPlugin } from './node-modules-plugin.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const entries = {
  index: 'entry/index',
  ...Object.fromEntries(
    ['cassette', 'fidelity', 'journal', 'scrub', 'state', 'tape'].map((name) => [name, `${name}/index`]),
  ),
  ...Object.fromEntries(['jest', 'mocha', 'node-test', 'vitest'].map((name) => [name, `runners/${name}`])),
}

await build({
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  legalComments: 'none',
  logLevel: 'warning',
  packages: 'external',
  entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `${dist}${path}.js`])),
  outdir: `${dist}library`,
  chunkNames: 'shared-[hash]',
  banner: { js: 'const getBuiltinModule = process.getBuiltinModule.bind(process)' },
  // The one import without names is put back below.
  logOverride: { 'ignored-bare-import': 'silent' },
  plugins: [nodeModulesPlugin(dist)],
})

// These entries begin with it, and what they share is imported after it.
for (const name of ['jest', 'vitest']) {
  const path = `${dist}library/${name}.js`
  writeFileSync(path, `import '../real/dispose-symbols.js'\n${readFileSync(path, 'utf8')}`)
}
