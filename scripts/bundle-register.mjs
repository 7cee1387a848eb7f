/**
 * Makes few files of what tsc has made, because a start-up that reads a hundred modules is felt:
 * `dist/entry/register.js`, which is all that an idle process loads; `dist/entry/engine.cjs`, the engine in
 * one piece; and what V8 makes of it when it starts, for the Node that builds. Everything else in `dist`
 * stays as it is. Names and lines are kept: a stack trace is to be read by people.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { asciiOnly } from './ascii-only.mjs'
import { nodeModulesPlugin } from './node-modules-plugin.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
  allowOverwrite: true,
}

await build({
  ...shared,
  entryPoints: [`${dist}entry/register.js`],
  outfile: `${dist}entry/register.js`,
  format: 'esm',
})

// Preloaded by a child, in CommonJS: every Node takes it.
await build({
  ...shared,
  entryPoints: [`${dist}entry/child.js`],
  outfile: `${dist}entry/child.cjs`,
  format: 'cjs',
  define: { 'import.meta.url': '__filename' },
})

const engine = `${dist}entry/engine.cjs`
await build({
  ...shared,
  entryPoints: [`${dist}testbench/program/register-process.js`],
  outfile: engine,
  format: 'cjs',
  packages: 'external',
  define: { 'import.meta.url': '__filename' },
  banner: {
    js: [
      // One function, as `load-compiled` calls it.
      "(function (exports, require, module, __filename) {'use strict'",
      'const getBuiltinModule = process.getBuiltinModule.bind(process)',
    ].join('\n'),
  },
  footer: { js: '})' },
  plugins: [nodeModulesPlugin(dist)],
})

// `load-compiled` reads plain ASCII. esbuild escapes texts, and leaves regular expressions as they are.
writeFileSync(engine, asciiOnly(readFileSync(engine, 'utf8')))

// Run once, so that what V8 keeps holds the functions that a start needs.
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('./compile-engine.mjs', import.meta.url))],
  {
    env: { ...process.env, REPRISE_MODE: 'record', REPRISE_TAPE: join(folder, 'run.tape') },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
)
rmSync(folder, { recursive: true, force: true })
if (status !== 0) throw new Error('bundle-register: the engine did not start')
