/**
 * Makes few files of what tsc has made, because a start-up that reads a hundred modules is felt:
 * `dist/entry/register.js`, which is all that an idle process loads; `dist/entry/engine.cjs`, the engine in
 * one piece; and what V8 makes of it when it starts, for the Node that builds. Everything else in `dist`
 * stays as it is. Names and lines are kept: a stack trace is to be read by people.
 *
 * Decision 0521.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { asciiOnly } from './ascii-only.mjs'
import { capturedFunctions } from './captured-functions.mjs'
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
const captured = capturedFunctions()
await build({
  ...shared,
  entryPoints: [`${dist}testbench/program/register-process.js`],
  outfile: engine,
  format: 'cjs',
  packages: 'external',
  define: { 'import.meta.url': '__filename', ...captured.define },
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
writeFileSync(engine, asciiOnly(captured.declared(readFileSync(engine, 'utf8'))))

// Run in both modes, so that what V8 keeps holds the functions that a start, a first request
// and a first subprocess need.
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
const model = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { content: 'a word' }, finish_reason: 'stop' }]
    response.end(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\ndata: [DONE]\n\n`)
  })
})
try {
  await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${model.address().port}/v1/chat/completions`
  const tape = join(folder, 'run.tape')
  await runEngine('record', tape, url)
  await runEngine('replay', tape, url)
  const { verdict } = JSON.parse(readFileSync(`${tape}.report.json`, 'utf8'))
  if (verdict !== 'faithful') throw new Error(`bundle-register: the first replay is ${verdict}`)
} finally {
  model.close()
  rmSync(folder, { recursive: true, force: true })
}

async function runEngine(mode, tape, url) {
  const program = fileURLToPath(new URL('./compile-engine.mjs', import.meta.url))
  // No proxy and no options of the machine that builds: the program and its server are all that runs here.
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [program, url], {
    env: { PATH, HOME, TMPDIR, REPRISE_MODE: mode, REPRISE_TAPE: tape },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject))
  if (status !== 0) throw new Error(`bundle-register: the engine did not ${mode} (exit ${status})`)
}
