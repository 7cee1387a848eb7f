/**
 * Runs a small agent, recorded or replayed as the environment says, and keeps what V8 has compiled of the
 * engine for it, in addition to what was kept before. Started by bundle-register.mjs, once for each mode.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compiledPath, loadCompiled } from '../dist/real/load-compiled.js'

const engine = fileURLToPath(new URL('../dist/entry/engine.cjs', import.meta.url))
// Before the engine patches either of them: nothing of this is part of the run.
const { reallyExit } = process
const { writeFileSync } = fs
const { exports: loaded, script } = loadCompiled(engine)
// The last call of a process: the tape is closed, and everything that a run needs has been compiled.
process.reallyExit = (code) => {
  writeFileSync(compiledPath(engine), script.createCachedData())
  Reflect.apply(reallyExit, process, [code])
}
loaded.registerProcess()
process.on('beforeExit', () => process.exit())

const [, , url = ''] = process.argv
const messages = []
for (let turn = 0; turn < 2; turn += 1) {
  messages.push({ role: 'user', content: `turn ${turn}` })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'none', stream: true, messages }),
  })
  messages.push({ role: 'assistant', content: await response.text() })
}
for (const start of [spawn, execFile])
  await new Promise((resolve) => start('echo', ['a word']).on('close', resolve))
spawnSync('echo', ['a word'])
await new Promise((resolve) => setTimeout(resolve, 1))
const { byteLength } = await fs.promises.readFile(fileURLToPath(import.meta.url))
const size = byteLength + fs.readFileSync(fileURLToPath(import.meta.url)).byteLength
process.stdout.write(`${size} ${Date.now()} ${Math.random()} ${process.env.HOME}\n`)
