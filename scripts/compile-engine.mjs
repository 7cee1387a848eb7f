/**
 * Records an empty program and keeps what V8 has compiled of the engine for it. Started by
 * bundle-register.mjs.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compiledPath, loadCompiled } from '../dist/real/load-compiled.js'

const engine = fileURLToPath(new URL('../dist/entry/engine.cjs', import.meta.url))
const { exports: loaded, script } = loadCompiled(engine)
loaded.registerProcess()
const { emit } = process
process.emit = function (event, ...args) {
  const handled = Reflect.apply(emit, this, [event, ...args])
  if (event === 'exit') writeFileSync(compiledPath(engine), script.createCachedData())
  return handled
}
