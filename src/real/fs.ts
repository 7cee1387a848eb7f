/**
 * The file system, captured before anything is patched. Copies of the functions, so that a recorder patching `node:fs` later does not record
 * Reprise itself.
 *
 * Some of Node's own functions call others through the public object (`readFileSync` calls `fs.openSync`), which may be patched by then: while one of
 * ours runs, `isOwnFileCall` says so.
 */
import nodeFs from 'node:fs'

let depth = 0

export const isOwnFileCall = (): boolean => depth > 0

// biome-ignore lint/suspicious/noExplicitAny: a copy takes whatever the original takes
type Anything = (...args: any[]) => any

function own(original: Anything): Anything {
  const marked = (...args: unknown[]): unknown => {
    depth += 1
    try {
      return Reflect.apply(original, nodeFs, args)
    } finally {
      depth -= 1
    }
  }
  return Object.assign(marked, original)
}

export const fs: typeof nodeFs = { ...nodeFs, promises: { ...nodeFs.promises } }
for (const [name, value] of Object.entries(fs))
  if (name.endsWith('Sync') && typeof value === 'function') Reflect.set(fs, name, own(value as Anything))
