/**
 * Ends a run with what was not run, and leaves the counts where `.ci/run` finds them. A test that needs an outside program which is missing says
 * so with `needs(...)` of ./outside.ts; any other skipped test is named here too, so nothing is skipped in silence.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, notRun: 0 }
    const reasons = new Set<string>()
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].every((test) => test.result().state !== 'failed')) counts.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') counts.passed += 1
        else if (state === 'failed') counts.failed += 1
        else {
          counts.notRun += 1
          reasons.add(reason(test))
        }
      }
    }
    if (counts.notRun > 0) console.log(`not run: ${counts.notRun} (${[...reasons].sort().join(', ')}): use .ci/run`)
    writeFileSync('test-results.json', `${JSON.stringify(counts)}\n`)
  }
}

function reason(test: TestCase): string {
  const result = test.result()
  return (result.state === 'skipped' && result.note) || test.fullName
}
