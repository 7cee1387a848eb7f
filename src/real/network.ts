/** The network, captured before anything is patched. */
const realGlobal: { readonly [key: symbol]: unknown } = globalThis as never

export const realFetch: typeof globalThis.fetch = globalThis.fetch

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
