/**
 * Assembles each `.wat` file under src into a module beside it that exports its bytes as base64: `blake3.wat`
 * becomes `blake3.wat.ts`. Git ignores the output. The build, the type check and the tests run this first.
 *
 * Decision 0261.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import startWabt from 'wabt'

const source = fileURLToPath(new URL('../src/', import.meta.url))
const { parseWat } = await startWabt()

for (const name of readdirSync(source, { recursive: true })) {
  if (!name.endsWith('.wat')) continue
  const path = join(source, name)
  const module = parseWat(path, readFileSync(path, 'utf8'), { simd: true, bulk_memory: true })
  module.validate()
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  module.destroy()
  const text = `/** Assembled from ${basename(path)} by scripts/assemble-wasm.mjs. */\nexport const WASM_BASE64 = '${base64}'\n`
  // Left alone if it is up to date: a test run may be reading it.
  if (!existsSync(`${path}.ts`) || readFileSync(`${path}.ts`, 'utf8') !== text)
    writeFileSync(`${path}.ts`, text)
}
