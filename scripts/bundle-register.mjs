/**
 * Makes few files of what tsc has made, because a start-up that reads a hundred modules is felt: `dist/entry/register.js`, which is all that an idle
 * process loads; `dist/entry/engine.cjs`, the engine in one piece; `load-engine.cjs`, which loads it; and what V8 makes of it when it starts, for the
 * Node that builds. Everything else in `dist` stays as it is. Names and lines are kept: a stack trace is to be read by people.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const shared = { bundle: true, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning', allowOverwrite: true }

await build({ ...shared, entryPoints: [`${dist}entry/register.js`], outfile: `${dist}entry/register.js`, format: 'esm' })

await build({ ...shared, entryPoints: [`${dist}real/load-compiled.js`], outfile: `${dist}entry/load-engine.cjs`, format: 'cjs' })

const engine = `${dist}entry/engine.cjs`
await build({
  ...shared,
  entryPoints: [`${dist}testbench/program/register-process.js`],
  outfile: engine,
  format: 'cjs',
  packages: 'external',
  define: { 'import.meta.url': 'moduleUrl' },
  banner: {
    js: [
      "'use strict'",
      "const moduleUrl = require('node:url').pathToFileURL(__filename).href",
      'const inheriting = (module) => ({ __proto__: module, default: module })',
    ].join('\n'),
  },
})

// esbuild copies every property of a built-in module that it imports, getters and all; an object that inherits from the module does as well.
const text = readFileSync(engine, 'utf8')
const copying = /__toESM\(require\("(node:[\w/]+)"\)(?:, 1)?\)/g
if (!copying.test(text)) throw new Error('bundle-register: esbuild imports built-in modules in another way than expected')
writeFileSync(engine, text.replaceAll(copying, 'inheriting(require("$1"))'))

// Run once, so that what V8 keeps holds the functions that a start needs.
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('./compile-engine.cjs', import.meta.url))], {
  env: { ...process.env, REPRISE_MODE: 'record', REPRISE_TAPE: join(folder, 'run.tape') },
  stdio: ['ignore', 'inherit', 'inherit'],
})
rmSync(folder, { recursive: true, force: true })
if (status !== 0) throw new Error('bundle-register: the engine did not start')
