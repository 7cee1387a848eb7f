/**
 * A loader behind a symbolic link, in a folder that shares its beginning with the folder of Reprise. Node
 * keeps such beginnings in a cache, and returns the link unresolved if the last `fstat` was of a pipe.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))

test('is loaded from its real path, recorded and replayed', async () => {
  const cwd = mkdtempSync(join(modules, '.reprise-test-'))
  try {
    mkdirSync(join(cwd, 'real'))
    writeFileSync(join(cwd, 'real/loader.mjs'), 'globalThis.loadedFrom = import.meta.url')
    symlinkSync('real', join(cwd, 'linked'))
    writeFileSync(join(cwd, 'agent.mjs'), 'console.log(globalThis.loadedFrom)')
    const command = [process.execPath, '--import', './linked/loader.mjs', 'agent.mjs']
    const recorded = await reprise(['record', '--quiet', '--out', 'run.tape', '--', ...command], { cwd })
    const real = `${pathToFileURL(join(cwd, 'real/loader.mjs'))}\n`
    expect(recorded).toMatchObject({ code: 0, stdout: real })
    expect(await reprise(['replay', 'run.tape', '--', ...command], { cwd })).toMatchObject({
      code: 0,
      stdout: real,
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
})
