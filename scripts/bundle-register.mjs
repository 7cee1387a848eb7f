/**
 * Makes two files of what tsc has made, because a start-up that reads a hundred modules is felt: `dist/entry/register.js`, which is all that an idle
 * process loads, and `dist/entry/engine.cjs`, the engine in one piece. Everything else in `dist` stays as it is. Names and lines are kept: a stack
 * trace is to be read by people.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const shared = { bundle: true, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning', allowOverwrite: true }

await build({ ...shared, entryPoints: [`${dist}entry/register.js`], outfile: `${dist}entry/register.js`, format: 'esm' })

const engine = `${dist}entry/engine.cjs`
await build({
  ...shared,
  entryPoints: [`${dist}testbench/register-process.js`],
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
