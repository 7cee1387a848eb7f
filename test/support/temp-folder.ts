/** A folder of its own for one test, removed afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
