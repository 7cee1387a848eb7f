/**
 * For Vitest: `test('…', recorded(async () => …))` records what the test takes in the first time and replays it ever after.
 *
 * Fake timers of the runner at the same time are refused: there can be only one master of the clock.
 */
import { expect, type TestContext, vi } from 'vitest'
import type { ReplayReport, RunnerFacts } from '../testbench/index.ts'
import { replay, runRecorded, tapeOfTest } from '../testbench/index.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'

export const recorded: Recorded<TestContext> = recordedBy(async (body, options, { task }) => {
  await runRecorded(options.tape ?? tapeOfTest(task.file.filepath, nameOf(task)), body, options, runnerOf(task))
})

/** Fails unless `body` replays faithfully from the tape; gives the report. */
export async function expectFaithful(tape: string, body: () => unknown | Promise<unknown>): Promise<ReplayReport> {
  const { report } = await replay(tape, body)
  expect(report.verdict).toBe('faithful')
  return report
}

/** `expect.soft` fails a test without throwing. */
function runnerOf(task: { readonly result?: { readonly state?: string } | undefined }): RunnerFacts {
  return {
    name: 'Vitest',
    fakeTimers: 'vi.useFakeTimers',
    useRealTimers: 'vi.useRealTimers()',
    areTimersFake: () => vi.isFakeTimers(),
    fakes: [{ owner: vi, property: 'useFakeTimers' }],
    hasFailed: () => task.result?.state === 'fail',
  }
}

type Named = { readonly name: string; readonly suite?: Named | undefined }

/** With the names of the suites around it. */
function nameOf(task: Named): string {
  return task.suite === undefined || task.suite.name === '' ? task.name : `${nameOf(task.suite)} ${task.name}`
}
