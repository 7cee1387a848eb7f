/** Packages from the registry in a folder of their own, installed once per machine. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function installedPackages(packages: readonly string[]): string {
  const name = packages.join('+').replace(/[^a-z0-9@.+-]+/gi, '_')
  const folder = join(tmpdir(), 'reprise-packages', name)
  if (existsSync(join(folder, 'node_modules'))) return folder
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), '{"private":true,"type":"module"}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: partial,
    stdio: 'pipe',
  })
  rmSync(folder, { recursive: true, force: true })
  renameSync(partial, folder)
  return folder
}
