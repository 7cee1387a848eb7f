/**
 * Builds the header of a tape and scrubs it. Every writer of a tape gets its header here: `reprise record`,
 * the library, the test runners, the tape of a replay, the importers, `reprise scrub`.
 *
 * Paths (working directory, home, modules) and command lines may contain secrets. Command lines go through
 * `scrubber.argv`, so that the value after `--api-key` is replaced, whatever it looks like.
 */
import type { Scrubbed, Scrubber } from '../scrub/index.ts'
import { isFeature } from './features.ts'
import { createHeader, type HeaderFacts, type TapeHeader } from './header.ts'

/** A new header of this version of Reprise. */
export function createScrubbedHeader(facts: HeaderFacts, scrubber: Scrubber): Scrubbed<TapeHeader> {
  return scrubHeader(createHeader(facts), scrubber)
}

/** A header that exists already, for example that of the tape which is replayed. */
export function scrubHeader(header: TapeHeader, scrubber: Scrubber): Scrubbed<TapeHeader> {
  const { argv, command, program, extra, features, ...rest } = header
  return {
    ...scrubber.value(rest, 'sent', 'header'),
    ...(features === undefined ? {} : { features: scrubFeatures(features, scrubber) }),
    argv: scrubber.argv(argv),
    ...(command === undefined ? {} : { command: scrubber.argv(command) }),
    ...(program === undefined ? {} : { program: scrubProgram(program, scrubber) }),
    ...(extra === undefined ? {} : { extra: scrubExtra(extra, scrubber) }),
  }
}

/** Numbers of our own list are no secret: to search them takes longer than the rest of the header. */
function scrubFeatures(numbers: readonly number[], scrubber: Scrubber): readonly number[] {
  return numbers.every(isFeature) ? numbers : scrubber.value(numbers, 'sent', 'header.features')
}

type Program = NonNullable<TapeHeader['program']>

function scrubProgram({ execArgs, script, args }: Program, scrubber: Scrubber): Scrubbed<Program> {
  return {
    execArgs: scrubber.argv(execArgs),
    script: scrubber.text(script, 'sent', 'header.program'),
    args: scrubber.argv(args),
  }
}

/** Fields of a newer writer, as JSON text. */
function scrubExtra(
  extra: NonNullable<TapeHeader['extra']>,
  scrubber: Scrubber,
): Scrubbed<NonNullable<TapeHeader['extra']>> {
  const scrubbed = Object.entries(extra).map(
    ([wire, json]) => [wire, scrubber.jsonText(json, 'sent', `header.${wire}`)] as const,
  )
  return Object.fromEntries(scrubbed)
}
