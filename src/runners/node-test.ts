/** For `node:test`: `test('…', recorded(async () => …))` records what the test takes in the first time and replays it ever after. */
import { RepriseError } from '../errors/index.ts'
import { mockTimers } from '../real/mock-timers.ts'
import { startedAs } from '../real/program.ts'
import type { RecordedOptions, RunnerFacts } from '../testbench/index.ts'
import { runRecorded, tapeOfTest } from '../testbench/index.ts'

/** What is used of node:test's context; `filePath` is there since Node 22. */
type Context = { readonly name: string; readonly fullName?: string; readonly filePath?: string }
type Body = (context: Context) => unknown | Promise<unknown>

export function recorded(body: Body): Body
export function recorded(options: RecordedOptions, body: Body): Body
export function recorded(first: RecordedOptions | Body, second?: Body): Body {
  const options = typeof first === 'function' ? {} : first
  const body = typeof first === 'function' ? first : second
  if (body === undefined) throw new RepriseError('usage', 'recorded needs the body of the test', { hint: 'recorded({ tape }, async () => …)' })
  return async (context) => {
    const tape =
      options.tape ?? tapeOfTest(context.filePath ?? startedAs.argv[1] ?? 'test', (context.fullName ?? context.name).replaceAll(' > ', ' '))
    await runRecorded(tape, () => body(context), options, runner)
  }
}

const timers = mockTimers()

const runner: RunnerFacts = {
  name: 'node:test',
  fakeTimers: 'mock.timers',
  useRealTimers: 'mock.timers.reset()',
  areTimersFake: null,
  fakes: timers === null ? [] : [{ owner: timers, property: 'enable' }],
  hasFailed: () => false,
}
