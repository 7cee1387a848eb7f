/**
 * What the command line does while the program that it has started runs, and it would only wait.
 */
import { realSetImmediate } from '../real/immediate.ts'

const works: (() => void)[] = []

export function whileProgramRuns(work: () => void): void {
  works.push(work)
}

/** Call it when the program has been started. */
export function programRuns(): void {
  realSetImmediate(() => {
    for (const work of works.splice(0)) work()
  })
}
