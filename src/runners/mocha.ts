/**
 * For Mocha: `it('…', recorded(async () => …))` records what the test takes in the first time and replays it
 * ever after. The body returns a promise; a `done` callback is not passed.
 */
import { relative } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { realCwd } from '../real/process.ts'
import { runRecorded, tapeOfTest } from '../testbench/index.ts'
import { nextCommand } from './next-command.ts'
import { worthALine } from './outcome-line.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'
import { createTapeOwners } from './tape-owners.ts'

/** What is used of Mocha's context. */
type Context = { readonly test: { readonly title: string; readonly file?: string; fullTitle(): string } }

export const recorded: Recorded = recordedBy(async (body, options, { self }) => {
  if (!isContext(self))
    throw new RepriseError('usage', 'recorded was called outside a test of Mocha', {
      hint: "it('…', recorded(async () => …))",
    })
  const { test } = self
  const name = test.fullTitle()
  const file = test.file ?? 'test'
  const tape = options.tape ?? tapeOfTest(file, name)
  // Mocha clones a test that it retries: the title is what stays.
  owners.claim(tape, Reflect.get(test, '_retriedTest') ?? test, name)
  await runRecorded(tape, body, options, {
    name: 'Mocha',
    fakeTimers: 'fake timers',
    useRealTimers: 'restore()',
    areTimersFake: null,
    fakes: [],
    hasFailed: () => false,
    command: (mode) => nextCommand(mode, `npx mocha ${relative(realCwd(), file)} -g`, name),
    onDone: (outcome) => {
      process.stderr.write(worthALine(outcome) ?? '')
    },
  })
})

const owners = createTapeOwners()

function isContext(value: unknown): value is Context {
  return typeof value === 'object' && value !== null && 'test' in value && typeof value.test === 'object'
}
