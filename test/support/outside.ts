/**
 * For tests that need a program of the operating system: present, the test runs; missing, it is *not run*, by
 * the program's name.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'

export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * First line of such a test: `needs(context, 'vim')`. Under `.ci/run`, which installs them, a missing program
 * fails the run.
 */
export function needs(context: TestContext, ...programs: readonly string[]): void {
  const missing = programs.filter((program) => !hasProgram(program))
  if (missing.length > 0) context.skip(missing.join(' '))
}
