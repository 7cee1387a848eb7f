/** Before any test: the WebAssembly modules, which `src` imports and git ignores. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function assembleWasm(): void {
  const script = fileURLToPath(new URL('../../scripts/assemble-wasm.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) throw new Error('scripts/assemble-wasm.mjs failed')
}
