/**
 * For tests of what only a newer Node has: the same test file is run once more, by vitest under each newer
 * Node that is installed. A Node that is not installed makes its test *not run*, by name.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test } from 'vitest'
import { tempFolder } from './temp-folder.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

export function newerNode(name: string): string | null {
  const path = join(project, 'node_modules', name, 'bin', 'node')
  return existsSync(path) ? path : null
}

/** `file` relative to the project; `only` is a part of the names of the tests to run. */
export function runUnderNewerNodes(file: string, names: readonly string[], only = ''): void {
  for (const name of names) {
    test(`${file} under ${name}`, (context: TestContext) => {
      const node = newerNode(name)
      if (node === null) context.skip(name)
      const report = join(tempFolder(), 'report.json')
      const words = [
        'node_modules/vitest/vitest.mjs',
        'run',
        file,
        '-t',
        only,
        '--reporter=json',
        `--outputFile=${report}`,
      ]
      const { stdout, stderr } = spawnSync(node ?? '', words, {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, VITEST: '' },
      })
      expect(existsSync(report), `${stdout}\n${stderr}`).toBe(true)
      const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
      const failed = testResults.flatMap(
        (one: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }) =>
          one.assertionResults
            .filter(({ status }) => status !== 'passed' && (only === '' || status !== 'skipped'))
            .map(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
      )
      expect(failed).toEqual([])
      expect(numPassedTests).toBeGreaterThan(0)
    })
  }
}
