/**
 * How the start of a live subprocess differs from the recorded one: variables that the program set or withholds,
 * streams, `detached`, owner, `argv0`. Pure. The first difference by name; null if there is none, or if an older tape
 * does not have these fields.
 */
import { fieldsOf, type Json } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { normalisePlaceholders, type Scrubber } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'

const OPTIONS = ['detached', 'uid', 'gid', 'argv0'] as const
const LIMITS = ['timeout', 'killSignal', 'maxBuffer'] as const

export type StartDifference = { readonly path: string; readonly expected: string; readonly actual: string }

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
    envDifference(fieldsOf(fields.env), live.env, scrubber, moved) ??
    (known.names ? inheritedDifference(fields, live.inherited, scrubber) : null) ??
    stdioDifference(textsOf(fields.stdio ?? fields.streams), live.stdio) ??
    optionDifference(fields, live.options, moved, known.limits ? [...OPTIONS, ...LIMITS] : OPTIONS)
  )
}

function envDifference(
  recorded: { readonly [name: string]: Json },
  live: ChildStart['env'],
  scrubber: Scrubber,
  moved: (text: string) => string,
): StartDifference | null {
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(live)])) {
    const before = recorded[name]
    const given = live[name]
    const now = given === undefined ? undefined : normalisePlaceholders(scrubber.env(name, moved(given)))
    const then = typeof before === 'string' ? normalisePlaceholders(before) : undefined
    if (then !== now) return { path: `env.${name}`, expected: shown(then), actual: shown(now) }
  }
  return null
}

const INHERITED = 'inherited'

function inheritedDifference(
  { env_only: only, env_without: without }: { readonly [name: string]: Json },
  live: ChildStart['inherited'],
  scrubber: Scrubber,
): StartDifference | null {
  if (live === undefined) return null
  const written = (names: readonly string[] | null): string[] | null =>
    names?.map((name) => scrubber.text(name, 'sent')) ?? null
  const [passed, withheld] = [written(live.passed), written(live.withheld)]
  const recordedOnly = textsOf(only)
  const recordedWithout = textsOf(without) ?? []
  if (recordedOnly !== null && passed !== null)
    return namesDifference(recordedOnly, passed, INHERITED, 'nothing')
  if (recordedOnly === null && withheld !== null)
    return namesDifference(recordedWithout, withheld, 'nothing', INHERITED)
  return {
    path: 'env',
    expected: recordedOnly === null ? allWithout(recordedWithout) : namesOnly(recordedOnly),
    actual: passed === null ? allWithout(withheld ?? []) : namesOnly(passed),
  }
}

function allWithout(names: readonly string[]): string {
  return names.length === 0 ? 'all variables' : `all without ${names.join(', ')}`
}

function namesOnly(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : `only ${names.join(', ')}`
}

/** The first name that is in one of the lists. */
function namesDifference(
  recorded: readonly string[],
  live: readonly string[],
  listed: string,
  missing: string,
): StartDifference | null {
  const [then, now] = [new Set(recorded), new Set(live)]
  const lost = recorded.find((name) => !now.has(name))
  if (lost !== undefined) return { path: `env.${lost}`, expected: listed, actual: missing }
  const added = live.find((name) => !then.has(name))
  return added === undefined ? null : { path: `env.${added}`, expected: missing, actual: listed }
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
