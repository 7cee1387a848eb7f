/**
 * Only one of the two can control the clock: a recorded test, or the runner's fake timers. While a recorded
 * test runs, fake timers cannot be turned on. A recorded test that begins while they are on is an error.
 */
import { installPatches, patchFunction, placedBy } from '../../boundaries/patches.ts'
import { RepriseError } from '../../errors/index.ts'
import { clockOriginals } from '../../real/clock-originals.ts'

export type ClockRival = {
  /** `Vitest` or `node:test`, and the name of its fake timers. */
  readonly name: string
  readonly fakeTimers: string
  readonly useRealTimers: string
  /** Whether the runner reports that its timers are fake now; null if it cannot. */
  readonly areTimersFake: (() => boolean) | null
  /** The functions that make them fake: refused while a recorded test runs. */
  readonly fakes: readonly { readonly owner: object; readonly property: string }[]
}

export function oneMasterOfTheClock(runner: ClockRival): Disposable {
  refuseIfFake(runner)
  const patches = installPatches(
    runner.fakes.map(({ owner, property }) =>
      patchFunction(owner, property, () => () => {
        throw twoMasters(runner)
      }),
    ),
  )
  return { [Symbol.dispose]: () => patches[Symbol.dispose]() }
}

function refuseIfFake(runner: ClockRival): void {
  const areFake =
    runner.areTimersFake?.() ?? clockOriginals.some(({ name, original }) => isSomeoneElses(name, original))
  if (areFake) throw twoMasters(runner)
}

function isSomeoneElses(name: string, original: unknown): boolean {
  const current = Object.getOwnPropertyDescriptor(globalThis, name)?.value
  return current !== original && current !== placedBy(globalThis, name)?.value
}

function twoMasters({ name, fakeTimers, useRealTimers }: ClockRival): RepriseError {
  return new RepriseError(
    'fake-timers',
    `${name}'s fake timers (${fakeTimers}) and Reprise's clock cannot be used at the same time`,
    {
      hint: `call ${useRealTimers} before the recorded test, or record without it`,
    },
  )
}
