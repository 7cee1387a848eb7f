/** `setImmediate`, captured before anything is patched. Apart from the clocks, which load more of Node. */
export const realSetImmediate: typeof globalThis.setImmediate = globalThis.setImmediate
