/**
 * Loads Node's bundled undici with a clock of its own. It takes `performance` from `perf_hooks` once, when it
 * is loaded, and reads it several times per request: what it takes is then an object whose `now` is the
 * original, and no patch of ours ever has to ask whose read that is.
 *
 * Decision 0206.
 */
import perfHooks from 'node:perf_hooks'

const { performance } = perfHooks
const ownClock: object = Object.create(performance, {
  now: { value: performance.now.bind(performance), configurable: true, writable: true },
})

/**
 * `load` must load it at once, and nothing else. Where `performance` cannot be replaced, undici gets the one
 * that everybody has.
 */
export function withOwnClock(load: () => void): void {
  const original = Object.getOwnPropertyDescriptor(perfHooks, 'performance')
  if (original?.configurable !== true) {
    load()
    return
  }
  // Node makes the global `performance` on first access, out of this property, and keeps it: the program would get
  // the clock of undici.
  Reflect.get(globalThis, 'performance')
  Object.defineProperty(perfHooks, 'performance', {
    configurable: true,
    enumerable: original.enumerable === true,
    writable: true,
    value: ownClock,
  })
  try {
    load()
  } finally {
    Object.defineProperty(perfHooks, 'performance', original)
  }
}
