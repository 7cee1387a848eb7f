/**
 * Defines `Symbol.dispose` and `Symbol.asyncDispose` where they are missing: Node 20 has them in its main
 * context only, and test runners load modules into contexts of their own. Imported before anything else.
 *
 * They are the symbols that Node's own objects have.
 */
import { Readable } from 'node:stream'
import { clearImmediate, setImmediate } from 'node:timers'

const immediate = setImmediate(() => undefined)
clearImmediate(immediate)
define('dispose', Object.getPrototypeOf(immediate))
define('asyncDispose', Readable.prototype)

function define(name: 'dispose' | 'asyncDispose', owner: object): void {
  if (Symbol[name] !== undefined) return
  // `nodejs.dispose` in Node 20, `Symbol.dispose` in newer ones.
  const known = Object.getOwnPropertySymbols(owner).find(({ description }) =>
    description?.endsWith(`.${name}`),
  )
  Object.defineProperty(Symbol, name, { value: known ?? Symbol(`Symbol.${name}`) })
}
