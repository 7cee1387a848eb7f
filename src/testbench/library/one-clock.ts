/**
 * There can be only one master of the clock. While a recorded test runs, the runner's fake timers cannot be
 * switched on; one that begins while they are on is refused.
 */
import { installPatches, patchFunction, placedBy } from '../../boundaries/patches.ts'
import { RepriseError } from '../../errors/index.ts'
import { clockOriginals } from '../../real/clock-originals.ts'

export type ClockRival = {
  /** `Vitest` or `node:test`, and how its fake timers are called. */
  readonly name: string
  readonly fakeTimers: string
  readonly useRealTimers: string
  /** Whether the runner says that its timers are fake now; null if it cannot say. */
  readonly areTimersFake: (() => boolean) | null
  /** What makes them fake: refused while a recorded test runs. */
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
