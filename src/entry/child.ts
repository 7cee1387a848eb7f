/**
 * What Node preloads in a child of a recorded process (`--require …/child.cjs`). Records the child as
 * `REPRISE_TAPE` says. A Node that is too old runs the program as if this file were not there: its parent finds no
 * tape and notes that.
 */
import { isEnabled } from '../real/enabled.ts'
import { loadCompiled } from '../real/load-compiled.ts'

if (isEnabled && typeof process.getBuiltinModule === 'function') {
  // `import.meta.url` is the path of the built file.
  const { dirname, join } = process.getBuiltinModule('node:path')
  const engine: { registerProcess?(): void } = loadCompiled(
    join(dirname(import.meta.url), 'engine.cjs'),
  ).exports
  engine.registerProcess?.()
}
