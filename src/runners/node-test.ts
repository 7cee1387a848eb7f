/**
 * For `node:test`: `test('…', recorded(async () => …))` records what the test takes in the first time and
 * replays it ever after.
 */
import { relative } from 'node:path'
import { mockTimers } from '../real/mock-timers.ts'
import { realCwd } from '../real/process.ts'
import { startedAs } from '../real/program.ts'
import type { RunnerFacts } from '../testbench/index.ts'
import { runRecorded, tapeOfTest } from '../testbench/index.ts'
import { nextCommand } from './next-command.ts'
import { outcomeLine } from './outcome-line.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'
import { createTapeOwners } from './tape-owners.ts'

/** What is used of node:test's context; `filePath` is there since Node 22, `fullName` since 22.3. */
type Context = {
  readonly name: string
  readonly fullName?: string
  readonly filePath?: string
  diagnostic?(message: string): void
}

export const recorded: Recorded = recordedBy(async (body, options, { args }) => {
  const context = args.find(isContext) ?? { name: 'test' }
  const name = (context.fullName ?? context.name).replaceAll(' > ', ' ')
  const file = context.filePath ?? startedAs.argv[1] ?? 'test'
  const tape = options.tape ?? tapeOfTest(file, name)
  owners.claim(tape, context, name)
  await runRecorded(tape, body, options, {
    ...runner,
    command: (mode) =>
      `${nextCommand(mode, 'node --test --test-name-pattern', context.name)} ${relative(realCwd(), file)}`,
    onDone: (outcome) => context.diagnostic?.(outcomeLine(outcome)),
  })
})

function isContext(value: unknown): value is Context {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
}

const owners = createTapeOwners()
const timers = mockTimers()

const runner: RunnerFacts = {
  name: 'node:test',
  fakeTimers: 'mock.timers',
  useRealTimers: 'mock.timers.reset()',
  areTimersFake: null,
  fakes: timers === null ? [] : [{ owner: timers, property: 'enable' }],
  hasFailed: () => false,
}
