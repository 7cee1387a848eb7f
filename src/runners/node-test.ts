/** For `node:test`: `test('…', recorded(async () => …))` records what the test takes in the first time and replays it ever after. */
import { mockTimers } from '../real/mock-timers.ts'
import { startedAs } from '../real/program.ts'
import type { RunnerFacts } from '../testbench/index.ts'
import { runRecorded, tapeOfTest } from '../testbench/index.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'

/** What is used of node:test's context; `filePath` is there since Node 22. */
type Context = { readonly name: string; readonly fullName?: string; readonly filePath?: string }

export const recorded: Recorded<Context> = recordedBy(async (body, options, context) => {
  const tape = options.tape ?? tapeOfTest(context.filePath ?? startedAs.argv[1] ?? 'test', (context.fullName ?? context.name).replaceAll(' > ', ' '))
  await runRecorded(tape, body, options, runner)
})

const timers = mockTimers()

const runner: RunnerFacts = {
  name: 'node:test',
  fakeTimers: 'mock.timers',
  useRealTimers: 'mock.timers.reset()',
  areTimersFake: null,
  fakes: timers === null ? [] : [{ owner: timers, property: 'enable' }],
  hasFailed: () => false,
}
