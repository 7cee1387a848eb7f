/**
 * Makes few files of what tsc has made, because a start-up that reads a hundred modules is felt: `dist/entry/register.js`, which is all that an idle
 * process loads; `dist/entry/engine.cjs`, the engine in one piece; and what V8 makes of it when it starts, for the Node that
 * builds. Everything else in `dist` stays as it is. Names and lines are kept: a stack trace is to be read by people.
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
      'const inheriting = (module) => ({ __proto__: module, default: module })',
      'const onDemand = (make) => { let made; return () => (made ??= make()) }',
    ].join('\n'),
  },
  footer: { js: '})' },
})

// Where esbuild would copy every property of a module of Node's, getters and all, an object that inherits from it does as well. And a module that Node has
// not loaded by itself is loaded when it is first used, not when the engine is: most programs use few of them.
const AT_ONCE = new Set(['async_hooks', 'buffer', 'events', 'fs', 'module', 'path', 'process', 'timers', 'url', 'util'].map((name) => `node:${name}`))
const text = readFileSync(engine, 'utf8')
const loading = /^var (import_\w+) = (__toESM\()?require\("(node:[\w/]+)"\)(?:, 1\))?;$/gm
if (text.replace(loading, '').includes('require("node:'))
  throw new Error('bundle-register: esbuild imports modules of Node in another way than expected')
const late = new Set([...text.matchAll(loading)].flatMap(([, name, , module]) => (AT_ONCE.has(module) ? [] : [name])))
writeFileSync(
  engine,
  text
    .replace(loading, (_, name, copies, module) => {
      const made = copies === undefined ? `getBuiltinModule("${module}")` : `inheriting(getBuiltinModule("${module}"))`
      return `var ${late.has(name) ? `late(${name}) = onDemand(() => ${made})` : `${name} = ${made}`};`
    })
    .replace(/(new )?\b(late\()?(import_\w+)\b/g, (whole, made = '', declared, name) =>
      declared !== undefined || !late.has(name) ? whole : made === '' ? `${name}()` : `new (${name}())`,
    )
    .replace(/^var late\((\w+)\) =/gm, 'var $1 ='),
)

// Run once, so that what V8 keeps holds the functions that a start needs.
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('./compile-engine.mjs', import.meta.url))], {
  env: { ...process.env, REPRISE_MODE: 'record', REPRISE_TAPE: join(folder, 'run.tape') },
  stdio: ['ignore', 'inherit', 'inherit'],
})
rmSync(folder, { recursive: true, force: true })
if (status !== 0) throw new Error('bundle-register: the engine did not start')
