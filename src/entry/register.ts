/**
 * `node --import reprise/register`: records or replays this process, as set by `REPRISE_MODE` and
 * `REPRISE_TAPE`. Without them it does nothing.
 *
 * Idle it is one small file. The engine is one file next to it, which `scripts/bundle-register.mjs` makes of
 * `testbench/register-process`; it is run at once, not imported, because the program must not begin before it
 * is in place and an entry point has no top-level await.
 *
 * Decision 0140.
 */
import { isEnabled } from '../real/enabled.ts'
import { loadCompiled } from '../real/load-compiled.ts'

if (isEnabled) {
  const path = process.getBuiltinModule('node:url').fileURLToPath(new URL('./engine.cjs', import.meta.url))
  const engine: { registerProcess?(): void } = loadCompiled(path).exports
  engine.registerProcess?.()
}
