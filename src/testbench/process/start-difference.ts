/**
 * How the start of a live subprocess differs from the recorded one: variables that the program set or withholds,
 * streams, `detached`, owner, `argv0`. Pure. The first difference by name; null if there is none, or if an older tape
 * does not have these fields.
 */
import { fieldsOf, type Json } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import type { Scrubber } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import { environmentDifference, type StartDifference } from '../records/child-environment.ts'

const OPTIONS = ['detached', 'uid', 'gid', 'argv0'] as const
const LIMITS = ['timeout', 'killSignal', 'maxBuffer'] as const

/** What the tape has of a start; false for an older one. */
export type KnownOfStart = {
  /** The limits of a call that returns at once. */
  readonly limits: boolean
  /** The names of inherited variables. */
  readonly names: boolean
}

export function knownOfStart(header: Parameters<typeof hasFeature>[0]): KnownOfStart {
  return { limits: hasFeature(header, 'childLimits'), names: hasFeature(header, 'inheritedNames') }
}

/**
 * `recorded` is the `request` of the start, or `io` of a call that returned at once (whose streams are called
 * `streams`).
 */
export function startDifference(
  recorded: Json,
  live: ChildStart,
  scrubber: Scrubber,
  moved: (text: string) => string,
  known: KnownOfStart,
): StartDifference | null {
  const fields = fieldsOf(recorded)
  return (
    environmentDifference(fields, live, scrubber, moved, known.names) ??
    stdioDifference(textsOf(fields.stdio ?? fields.streams), live.stdio) ??
    optionDifference(fields, live.options, moved, known.limits ? [...OPTIONS, ...LIMITS] : OPTIONS)
  )
}

function stdioDifference(
  recorded: readonly string[] | null,
  live: readonly string[],
): StartDifference | null {
  if (recorded === null) return null
  for (let at = 0; at < Math.max(recorded.length, live.length); at += 1) {
    const [then, now] = [streamOf(recorded[at]), streamOf(live[at])]
    if (then !== now) return { path: `stdio[${at}]`, expected: then, actual: now }
  }
  return null
}

/** True for two streams that a program cannot distinguish. */
export function sameStream(live: string | undefined, recorded: string | undefined): boolean {
  return streamOf(live) === streamOf(recorded)
}

/** Whether output that the child inherits can be copied depends on the terminal, not on the program. */
function streamOf(name: string | undefined): string {
  return name === 'copied' ? 'inherit' : (name ?? 'none')
}

function optionDifference(
  recorded: { readonly [name: string]: Json },
  live: ChildStart['options'],
  moved: (text: string) => string,
  names: readonly (keyof ChildStart['options'])[],
): StartDifference | null {
  for (const name of names) {
    const given = live[name]
    const now = shown(typeof given === 'string' ? moved(given) : given)
    const then = shown(recorded[name])
    if (then !== now) return { path: name, expected: then, actual: now }
  }
  return null
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

function textsOf(value: Json | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : null
}
