/**
 * Ends a run with its seed, what was not run, and what `npm test` leaves to `.ci/run`; and writes the counts
 * to a file of the suite's own, where `.ci/run` reads them. A test that needs an outside program which is
 * missing reports it with `needs(...)` of ./outside.ts; any other skipped test is listed here too, so nothing
 * is skipped silently.
 */
import { writeFileSync } from 'node:fs'
import fastGlob from 'fast-glob'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { CI_ONLY } from './suite.ts'

/** One failed test; `.ci/run` runs its file once more. Unhandled errors have no file and are only counted. */
export type Failure = { readonly file: string; readonly test: string }

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, notRun: 0 }
    const failures: Failure[] = []
    const reasons = new Set<string>()
    const behaviours = new Map<string, number>()
    for (const module of modules) {
      if (
        module.state() === 'failed' &&
        [...module.children.allTests()].every((test) => test.result().state !== 'failed')
      ) {
        counts.failed += 1
        failures.push({ file: module.relativeModuleId, test: '(the file itself)' })
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        const [, verdict] = BEHAVIOUR.exec(test.name) ?? []
        if (verdict !== undefined && state === 'passed')
          behaviours.set(verdict, (behaviours.get(verdict) ?? 0) + 1)
        if (state === 'passed') counts.passed += 1
        else if (state === 'failed') {
          counts.failed += 1
          failures.push({ file: module.relativeModuleId, test: test.fullName })
        } else {
          counts.notRun += 1
          reasons.add(reason(test))
        }
      }
    }
    const { REPRISE_SEED: seed, REPRISE_SUITE: suite = 'quick' } = process.env
    console.log(`seed of the campaigns: ${seed} (REPRISE_SEED=${seed} repeats it)`)
    if (suite === 'quick') console.log(`left to .ci/run: ${fastGlob.sync(CI_ONLY).sort().join(', ')}`)
    if (counts.notRun > 0)
      console.log(`not run: ${counts.notRun} (${[...reasons].sort().join(', ')}): use .ci/run`)
    if (behaviours.size > 0) console.log(behaviourLine(behaviours))
    writeFileSync(
      suite === 'quick' ? 'test-results.json' : `test-results-${suite}.json`,
      `${JSON.stringify({ ...counts, failures })}\n`,
    )
  }
}

/** The names that ./upstream.ts gives. */
const BEHAVIOUR = /^[ABCD]\d+ (same|superset|differs): /

function behaviourLine(counts: ReadonlyMap<string, number>): string {
  const of = (verdict: string): number => counts.get(verdict) ?? 0
  const held = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return `behaviours of the original systems: ${held} tested (${of('same')} same, ${of('superset')} with more, ${of('differs')} differ on purpose)`
}

function reason(test: TestCase): string {
  const result = test.result()
  return (result.state === 'skipped' && result.note) || test.fullName
}
