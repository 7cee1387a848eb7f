/**
 * Records an empty program, replays it, and keeps what V8 has compiled of the command line for both. Started
 * by bundle-cli.mjs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiledPath, loadCompiled } from '../dist/real/load-compiled.js'

const [, , bundle = ''] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'reprise-build-'))
const { exports: loaded, script } = loadCompiled(bundle, (name) => import(name))
try {
  const tape = join(folder, 'run.tape')
  writeFileSync(join(folder, 'empty.mjs'), '')
  const nothing = () => undefined
  const program = [process.execPath, join(folder, 'empty.mjs')]
  await loaded.main(['record', '--quiet', '--out', tape, '--', ...program], nothing)
  await loaded.main(['replay', tape], nothing)
  if (process.exitCode === 0) writeFileSync(compiledPath(bundle), script.createCachedData())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
