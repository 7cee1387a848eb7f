/** Records an empty program and keeps what V8 has compiled of the engine for it. Started by bundle-register.mjs. */
const { writeFileSync } = require('node:fs')
const { compiledPath, loadCompiled } = require('../dist/entry/load-engine.cjs')

const engine = require.resolve('../dist/entry/engine.cjs')
const { exports: loaded, script } = loadCompiled(engine)
loaded.registerProcess()
const { emit } = process
process.emit = function (event, ...args) {
  const handled = Reflect.apply(emit, this, [event, ...args])
  if (event === 'exit') writeFileSync(compiledPath(engine), script.createCachedData())
  return handled
}
