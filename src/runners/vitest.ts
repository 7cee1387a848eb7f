/**
 * For Vitest: `test('…', recorded(async () => …))` records what the test takes in the first time and replays
 * it ever after. Works with `test.each`, `test.for`, `test.extend`, `test.concurrent`, retries and every
 * pool.
 *
 * Fake timers of the runner at the same time are refused: only one library can control the clock.
 */
import '../real/dispose-symbols.ts'
import { relative, resolve } from 'node:path'
import * as vitest from 'vitest'
import { RepriseError } from '../errors/index.ts'
import { realCwd } from '../real/process.ts'
import type { RecordedOptions, RecordedOutcome, ReplayReport, RunnerFacts } from '../testbench/index.ts'
import { replay, runRecorded, tapeOfTest } from '../testbench/index.ts'
import { nextCommand } from './next-command.ts'
import { listObsoleteTapes } from './obsolete-tapes.ts'
import { outcomeLine, worthALine } from './outcome-line.ts'
import { type Recorded, recordedBy } from './recorded-body.ts'
import { createTapeOwners, type TapeOwners } from './tape-owners.ts'

const { expect, vi } = vitest

/** Also lists, at the end of the file, tapes that no test uses any more. */
export const recorded: Recorded = recordedBy(async (body, options, { args }) => {
  const context = contextAmong(args)
  const task = context?.task ?? (await currentTask())
  const name = nameOf(task)
  const tape = options.tape ?? tapeOfTest(task.file.filepath, name)
  ownersOf(task.file).claim(tape, task, name)
  await runRecorded(tape, body, options, runnerOf(task, name, context))
}, listAfterwards)

/** Fails unless `body` replays faithfully from the tape; gives the report. */
export async function expectFaithful(
  tape: string,
  body: () => unknown | Promise<unknown>,
): Promise<ReplayReport> {
  const { report } = await replay(tape, body)
  expect(report.verdict).toBe('faithful')
  return report
}

/** What is used of Vitest's task; the same in every version. */
type Task = {
  readonly name: string
  readonly suite?: Named | undefined
  readonly file: File
  readonly concurrent?: boolean | undefined
  readonly meta: object
  readonly result?: { readonly state?: string } | undefined
}
type File = { readonly filepath: string; readonly tasks: readonly Tree[] }
type Tree = Named & { readonly type: string; readonly tasks?: readonly Tree[] }
type Named = { readonly name: string; readonly suite?: Named | undefined }
type Context = { readonly task: Task; annotate?(message: string, type?: string): Promise<unknown> }

/** The context is the last argument, if the runner passes one: `test.each` passes its row alone. */
function contextAmong(args: readonly unknown[]): Context | null {
  return args.findLast(isContext) ?? null
}

function isContext(value: unknown): value is Context {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'task' in value &&
    'expect' in value
  )
}

async function currentTask(): Promise<Task> {
  const task = await taskOfRunner()
  if (task === undefined)
    throw new RepriseError('usage', 'recorded was called outside a test', { hint: "test('…', recorded(…))" })
  if (task.concurrent !== true) return task
  throw new RepriseError('usage', `test.concurrent.each does not pass which test runs: ${task.name}`, {
    hint: 'use test.concurrent.for, which passes the context too',
  })
}

/** Vitest 3 has no `TestRunner`; Vitest 5 has no `vitest/suite`. */
async function taskOfRunner(): Promise<Task | undefined> {
  const { TestRunner }: Partial<typeof vitest> = vitest
  if (TestRunner !== undefined) return TestRunner.getCurrentTest()
  const suite = await import('vitest/suite')
  return suite.getCurrentTest()
}

const owners = new WeakMap<object, TapeOwners>()

/** By the file as it was collected: in watch mode each run has its own. */
function ownersOf(file: File): TapeOwners {
  const known = owners.get(file) ?? createTapeOwners()
  owners.set(file, known)
  return known
}

const listed = new WeakSet<object>()

/** Tapes that a test names itself: they may be in the folder of the others. */
const named = new Set<string>()

/** Registers a hook while the file is collected; a call inside a running test needs none. */
function listAfterwards({ tape }: RecordedOptions): void {
  if (tape !== undefined) named.add(resolve(realCwd(), tape))
  try {
    vitest.afterAll(
      withoutParameters((...passed) => {
        const file = passed.find(hasFile)?.file
        if (file === undefined || listed.has(file)) return
        listed.add(file)
        listObsoleteTapes(file.filepath, namesIn(file.tasks), named, isUpdating())
      }),
    )
  } catch {
    // Vitest refuses hooks while a test runs.
  }
}

/** Vitest reads from the source of a hook which fixtures it wants: this one takes whatever is passed. */
function withoutParameters(hook: (...passed: unknown[]) => void): (...passed: unknown[]) => void {
  Object.defineProperty(hook, 'toString', { value: () => '() => undefined' })
  return hook
}

function hasFile(suite: unknown): suite is { readonly file: File } {
  return typeof suite === 'object' && suite !== null && 'file' in suite
}

/** Of every test of the file, run or not. */
function namesIn(tasks: readonly Tree[]): string[] {
  return tasks.flatMap((task) => (task.tasks === undefined ? [nameOf(task)] : namesIn(task.tasks)))
}

/** `vitest -u`. Vitest keeps the flag in the state of its snapshots. */
function isUpdating(): boolean {
  const state: unknown = expect.getState().snapshotState
  return typeof state === 'object' && state !== null && Reflect.get(state, '_updateSnapshot') === 'all'
}

/** `expect.soft` fails a test without throwing. */
function runnerOf(task: Task, name: string, context: Context | null): RunnerFacts {
  return {
    name: 'Vitest',
    fakeTimers: 'vi.useFakeTimers',
    useRealTimers: 'vi.useRealTimers()',
    areTimersFake: () => vi.isFakeTimers(),
    fakes: [{ owner: vi, property: 'useFakeTimers' }],
    hasFailed: () => task.result?.state === 'fail',
    command: (mode) =>
      nextCommand(mode, `npx vitest run ${relative(realCwd(), task.file.filepath)} -t`, name),
    isUpdating,
    async onDone(outcome: RecordedOutcome) {
      const { done, tape, unverified } = outcome
      const doubts = unverified.length === 0 ? {} : { unverified }
      Object.assign(task.meta, { reprise: { done, tape, ...doubts } })
      // Most reporters show no annotation of a test that passed.
      if (unverified.length > 0) process.stderr.write(worthALine(outcome) ?? '')
      try {
        await context?.annotate?.(outcomeLine(outcome), 'reprise')
      } catch {
        // Vitest accepts annotations in the first of several `repeats` only.
      }
    },
  }
}

/** With the names of the suites around it. */
function nameOf(task: Named): string {
  return task.suite === undefined || task.suite.name === '' ? task.name : `${nameOf(task.suite)} ${task.name}`
}
