/**
 * Records and replays a small function, and keeps what V8 has compiled of the library for it, and of the
 * originals for an import. Started by bundle-library.mjs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as root from '../dist/library/index.js'
import { originals } from '../dist/library/originals.js'
import * as travel from '../dist/library/travel.js'
import { compiledPath, loadCompiled } from '../dist/real/load-compiled.js'

const captures = fileURLToPath(new URL('../dist/library/originals.cjs', import.meta.url))
writeFileSync(compiledPath(captures), loadCompiled(captures).script.createCachedData())

const library = fileURLToPath(new URL('../dist/library/library.cjs', import.meta.url))
const { exports: loaded, script } = loadCompiled(library, (name) => import(name), originals)
const { modules } = loaded
const isThere = (given) => Object.values(originals).some((each) => Object.values(each).includes(given))
for (const [name, given] of Object.entries({ ...root, ...travel })) {
  if (isThere(given)) continue
  const late = Object.values(modules).find((each) => Object.hasOwn(each, name))?.[name]
  if (typeof late !== 'function' || /^class\b/.test(String(late)))
    throw new Error(`${name} is no function: it cannot be loaded late`)
}
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
try {
  const tape = join(folder, 'run.tape')
  const body = async () => Date.now()
  const { record, replay } = modules['testbench/index.js']
  await record(tape, body)
  await replay(tape, body)
  writeFileSync(compiledPath(library), script.createCachedData())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
