/**
 * The environment of a child, of a subprocess or a terminal, as fields of its start, and how that of a live one
 * differs: variables that the program set, and the names of those that it passes on or withholds. Pure.
 */
import { fieldsOf, type Json } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { inheritedFields } from '../../boundaries/inherited-env.ts'
import { normalisePlaceholders, type ScrubbedJson, type Scrubber } from '../../scrub/index.ts'

export type StartDifference = { readonly path: string; readonly expected: string; readonly actual: string }

type Environment = Pick<ChildStart, 'env' | 'inherited'>
type Fields = { readonly [name: string]: Json }

export function environmentFields(
  { env: given, inherited }: Environment,
  scrubber: Scrubber,
): { readonly [name: string]: ScrubbedJson } {
  const env = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, scrubber.env(name, value)]),
  )
  return {
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...scrubber.value({ ...inheritedFields(inherited) }, 'sent'),
  }
}

/** The first difference by name; null if there is none. `knowsNames`: the tape has the names. */
export function environmentDifference(
  recorded: Fields,
  live: Environment,
  scrubber: Scrubber,
  moved: (text: string) => string,
  knowsNames: boolean,
): StartDifference | null {
  return (
    envDifference(fieldsOf(recorded.env), live.env, scrubber, moved) ??
    (knowsNames ? inheritedDifference(recorded, live.inherited, scrubber) : null)
  )
}

function envDifference(
  recorded: Fields,
  live: ChildStart['env'],
  scrubber: Scrubber,
  moved: (text: string) => string,
): StartDifference | null {
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(live)])) {
    const before = Object.hasOwn(recorded, name) ? recorded[name] : undefined
    // A tape may name a variable `__proto__`.
    const given = Object.hasOwn(live, name) ? live[name] : undefined
    const now = given === undefined ? undefined : normalisePlaceholders(scrubber.env(name, moved(given)))
    const then = typeof before === 'string' ? normalisePlaceholders(before) : undefined
    if (then !== now) return { path: `env.${name}`, expected: shown(then), actual: shown(now) }
  }
  return null
}

const INHERITED = 'inherited'

function inheritedDifference(
  { env_only: only, env_without: without }: Fields,
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

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

function textsOf(value: Json | undefined): string[] | null {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : null
}
