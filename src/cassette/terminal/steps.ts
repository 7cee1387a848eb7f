/**
 * Work that goes on step by step, some of which may have to be waited for: with the emulator as it is none
 * has, so a recording can also be finished at once, where a process ends and nothing is waited for any more.
 */
import { RepriseError } from '../../errors/index.ts'

export type Steps<T> = Generator<void | Promise<void>, T, void>

export async function inTime<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (value instanceof Promise) await value
  }
}

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (value instanceof Promise)
      throw new RepriseError('internal', 'a step of the recording cannot be done at once')
  }
}
