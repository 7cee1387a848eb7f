/**
 * What Node preloads in a child of a recorded process (`--require …/child.cjs`). Records the child to
 * `REPRISE_TAPE`. A Node that is too old runs the program as if this file were not there: its parent finds no
 * tape and notes that. In a worker thread only the children of the thread are recorded.
 */
import { recordChildrenOfThread } from '../real/children-of-thread.ts'
import { isEnabled } from '../real/enabled.ts'
import { loadCompiled } from '../real/load-compiled.ts'

if (isEnabled && typeof process.getBuiltinModule === 'function') {
  if (process.getBuiltinModule('node:worker_threads').isMainThread) recordThis()
  else recordChildrenOfThread()
}

function recordThis(): void {
  // `import.meta.url` is the path of the built file.
  const { dirname, join } = process.getBuiltinModule('node:path')
  const engine: { registerProcess?(): void } = loadCompiled(
    join(dirname(import.meta.url), 'engine.cjs'),
  ).exports
  engine.registerProcess?.()
}
