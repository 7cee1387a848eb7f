/** The network, captured before anything is patched. */
const realGlobal: { readonly [key: symbol]: unknown } = globalThis as never

export const realFetch: typeof globalThis.fetch = globalThis.fetch

/** Where undici keeps the dispatcher that `fetch` uses: `.2` since undici 8, `.1` before. */
const DISPATCHER_SYMBOLS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')] as const

/** Which of them the built-in `fetch` of this Node asks. Null until undici has been loaded, which Node does at the first `fetch`. */
export function fetchDispatcherSymbol(): symbol | null {
  const major = Number(process.versions.undici?.split('.')[0] ?? '0')
  const symbol = DISPATCHER_SYMBOLS[major >= 8 ? 0 : 1]
  return realGlobal[symbol] === undefined ? null : symbol
}

export function allDispatcherSymbols(): readonly symbol[] {
  return DISPATCHER_SYMBOLS.filter((symbol) => realGlobal[symbol] !== undefined)
}
