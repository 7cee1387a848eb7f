/** The functions of the clock as they were when this was loaded, by their global names. */
export const clockOriginals: readonly { readonly name: string; readonly original: unknown }[] = [
  { name: 'setTimeout', original: globalThis.setTimeout },
  { name: 'setInterval', original: globalThis.setInterval },
  { name: 'setImmediate', original: globalThis.setImmediate },
  { name: 'Date', original: globalThis.Date },
]
