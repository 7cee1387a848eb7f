/** The network, captured before anything is patched. */
const realGlobal: { readonly [key: symbol]: unknown } = globalThis as never

const realFetch: typeof globalThis.fetch = globalThis.fetch

/** Where undici keeps the dispatcher that `fetch` uses: `.2` since undici 8, `.1` before. */
const DISPATCHER_SYMBOLS = [
  Symbol.for('undici.globalDispatcher.2'),
  Symbol.for('undici.globalDispatcher.1'),
] as const

export function allDispatcherSymbols(): readonly symbol[] {
  return DISPATCHER_SYMBOLS.filter((symbol) => realGlobal[symbol] !== undefined)
}

/** Whether a copy of undici is loaded, Node's own or npm's: each sets a global dispatcher. */
export function isUndiciLoaded(): boolean {
  return realGlobal[DISPATCHER_SYMBOLS[1]] !== undefined || realGlobal[DISPATCHER_SYMBOLS[0]] !== undefined
}

/**
 * Node loads undici when this property is first read. Node 20 has a getter. In newer versions looking at the
 * property is a read, so it is not touched here.
 */
const lazyHeaders =
  Number.parseInt(process.versions.node, 10) < 22
    ? Object.getOwnPropertyDescriptor(globalThis, 'Headers')
    : undefined

/** Loads Node's own undici, as the first `fetch` does. */
export function loadUndici(): void {
  // From Node 22 on this loads it.
  const current = Object.getOwnPropertyDescriptor(globalThis, 'Headers')
  if (current?.get !== undefined && current.get === lazyHeaders?.get && current.configurable === true) {
    Reflect.apply(current.get, globalThis, [])
    // A `fetch` leaves the property as it was.
    Object.defineProperty(globalThis, 'Headers', current)
  }
  // A fetch loads it too, and takes longer; this one uses no network.
  if (!isUndiciLoaded()) void realFetch('data:,').catch(() => undefined)
}
