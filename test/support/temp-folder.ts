/**
 * A new folder, removed when its test ends. A folder made in `beforeAll` belongs to the test file and is
 * removed at its end. Tapes in it are checked first: Harn must be able to load them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { checkTapesIn } from './check-tapes.ts'

/** A folder with gigabytes takes longer to remove than the 10 s that Vitest gives to a hook. */
const REMOVE_TIMEOUT_MS = 600_000

const foldersOfFile: string[] = []

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-test-'))
  if (TestRunner.getCurrentTest() === undefined) foldersOfFile.push(folder)
  else onTestFinished(() => remove(folder), REMOVE_TIMEOUT_MS)
  return folder
}

afterAll(() => foldersOfFile.splice(0).forEach(remove), REMOVE_TIMEOUT_MS)

function remove(folder: string): void {
  try {
    checkTapesIn(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
