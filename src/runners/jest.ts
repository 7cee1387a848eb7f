/**
 * For Jest 30: `test('…', recorded(async () => …))` records what the test takes in the first time and replays
 * it ever after. Jest must run ES modules: `NODE_OPTIONS=--experimental-vm-modules npx jest`.
 */
import '../real/dispose-symbols.ts'
import { relative } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { realCwd } from '../real/process.ts'
import { runRecorded, tapeOfTest } from '../testbench/index.ts'
import { nextCommand } from './next-command.ts'
import { worthALine } from './outcome-line.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'
import { createTapeOwners } from './tape-owners.ts'

export const recorded: Recorded = recordedBy(async (body, options) => {
  const state = jestState()
  const { testPath: file } = state
  const name = state.currentConcurrentTestName?.() ?? state.currentTestName
  const tape = options.tape ?? tapeOfTest(file, name)
  owners.claim(tape, state.currentTestIdentity?.() ?? runningTest() ?? name, name)
  await runRecorded(tape, body, options, {
    name: 'Jest',
    fakeTimers: 'jest.useFakeTimers',
    useRealTimers: 'jest.useRealTimers()',
    areTimersFake: () => Reflect.has(globalThis.setTimeout, 'clock'),
    fakes: [],
    hasFailed: () => false,
    command: (mode) => nextCommand(mode, `npx jest ${relative(realCwd(), file)} -t`, name),
    isUpdating: () => state.snapshotState?._updateSnapshot === 'all',
    onDone: (outcome) => {
      process.stderr.write(worthALine(outcome) ?? '')
    },
  })
})

const owners = createTapeOwners()

type State = {
  readonly currentTestName: string
  /** For `test.concurrent`, whose tests share `currentTestName`. */
  readonly currentConcurrentTestName?: () => string | undefined
  /** The test itself, which may run again (a retry). The first versions of Jest 30 do not have it. */
  readonly currentTestIdentity?: () => unknown
  readonly testPath: string
  readonly snapshotState?: { readonly _updateSnapshot?: string }
}

/** The globals of Jest are there whatever a test imports. */
function jestState(): State {
  const expect: unknown = Reflect.get(globalThis, 'expect')
  const getState: unknown = typeof expect === 'function' ? Reflect.get(expect, 'getState') : undefined
  const state: unknown = typeof getState === 'function' ? Reflect.apply(getState, expect, []) : undefined
  if (isState(state)) return state
  throw new RepriseError('usage', 'recorded was called outside a test of Jest', {
    hint: "test('…', recorded(async () => …))",
  })
}

/** From the state of jest-circus, the part of Jest that runs tests. */
function runningTest(): unknown {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    (name) => name.description === 'JEST_STATE_SYMBOL',
  )
  const state: unknown = key === undefined ? undefined : Reflect.get(globalThis, key)
  return typeof state === 'object' && state !== null ? Reflect.get(state, 'currentlyRunningTest') : undefined
}

function isState(state: unknown): state is State {
  return typeof state === 'object' && state !== null && 'currentTestName' in state && 'testPath' in state
}
