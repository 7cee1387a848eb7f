/** One tape belongs to one test: two tests with one name would replay each other's answers. */
import { RepriseError } from '../errors/index.ts'

export type TapeOwners = {
  /** `test` is the test itself, which may run again (a retry). */
  claim(tape: string, test: unknown, name: string): void
}

export function createTapeOwners(): TapeOwners {
  const owners = new Map<string, { readonly test: unknown; readonly name: string }>()
  return {
    claim(tape, test, name) {
      const owner = owners.get(tape)
      if (owner !== undefined && owner.test !== test) throw sameTape(tape, owner.name, name)
      owners.set(tape, { test, name })
    },
  }
}

function sameTape(tape: string, first: string, second: string): RepriseError {
  const message =
    first === second
      ? `two tests of this file are called ${JSON.stringify(first)}, and both would use ${tape}`
      : `the tests ${JSON.stringify(first)} and ${JSON.stringify(second)} would both use ${tape}`
  const hint = "give one of them another name, or a tape of its own: recorded({ tape: 'own.tape' }, …)"
  // Runners print no hints.
  return new RepriseError('usage', `${message}; ${hint}`, { details: { tape }, hint })
}
