/**
 * `node --import reprise/register`: records or replays this process, as `REPRISE_MODE` and `REPRISE_TAPE` say. Without them it does nothing.
 *
 * Idle it is one small file. The engine is one file beside it, which `scripts/bundle-register.mjs` makes of `testbench/program/register-process`; it is
 * required, not imported, because the program must not begin before it is in place and an entry point has no top-level await.
 */
import { createRequire } from 'node:module'
import { isAskedFor } from '../real/asked-for.ts'

if (isAskedFor) {
  const require = createRequire(import.meta.url)
  const { loadCompiled }: typeof import('../real/load-compiled.ts') = require('./load-engine.cjs')
  const engine: { registerProcess?(): void } = loadCompiled(require.resolve('./engine.cjs')).exports
  engine.registerProcess?.()
}
