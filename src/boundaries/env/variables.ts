/**
 * What one session knows of the environment. The first read of a name is a crossing; after that only the
 * program changes it, so its value is kept here. Reading all names is one crossing for all of them.
 */
import { label } from '../../base/index.ts'
import type { Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { factValue } from './recorded-fact.ts'

const API = label('process.env')

/** The native object under the Proxy. */
export type NativeEnv = { [name: string]: string | undefined }

export type Variables = {
  /** Null if there is none of that name. */
  read(name: string): string | null
  names(): string[]
  /** The program has set or deleted it: `value` is the native object's text of it. */
  wrote(name: string, value: string | null): void
  /** Names that the program has set, and perhaps deleted. */
  written(): string[]
  knows(name: string): boolean
  /**
   * Whether the program was given this value under this name, even if it has changed it since, or has it
   * without having read it.
   */
  isGiven(name: string, value: string): boolean
  /**
   * Names that the program was given, or has deleted. Null if it has not read which there are, and `isCopy` is
   * false: then it passes on those that it names.
   */
  knownNames(isCopy: boolean): string[] | null
}

const known = sessionField<Variables | null>(() => null)

/**
 * What Node has just read to copy it for a child: reading the native object again costs microseconds for each
 * name.
 */
export const copiedForChild = new Map<string, string | undefined>()

function nativeValue(native: NativeEnv, name: string): string | undefined {
  return copiedForChild.get(name) ?? native[name]
}

/** Whether a variable was given to the program from outside, and not set by it. */
export function isGivenVariable(session: Session, native: NativeEnv, name: string, value: string): boolean {
  return known.get(session)?.isGiven(name, value) ?? nativeValue(native, name) === value
}

/** The names that a child lacks. Null if the program has not read which variables there are. */
export function withheldNames(
  session: Session,
  isCopy: boolean,
  has: (name: string) => boolean,
): string[] | null {
  const variables = known.get(session)
  if (variables === null) return isCopy ? [] : null
  return variables.knownNames(isCopy)?.filter((name) => !has(name)) ?? null
}

export function variablesOf(session: Session, native: NativeEnv): Variables {
  const variables = known.get(session) ?? createVariables(session, native)
  known.set(session, variables)
  return variables
}

function createVariables(session: Session, native: NativeEnv): Variables {
  let values = new Map<string, string | null>()
  let complete = false
  const given = new Map<string, string | null>()
  const written = new Set<string>()

  const readAll = (): void => {
    if (complete) return
    const text = session.readFact(API, '*', () => JSON.stringify({ ...native }))
    const all = new Map<string, string | null>(entriesOf(text))
    // A value that the program has set was not given to it.
    for (const [name, value] of all) if (!written.has(name)) given.set(name, value)
    for (const [name, value] of values) if (value !== null || all.has(name)) all.set(name, value)
    values = all
    complete = true
  }

  return {
    read(name) {
      const value = values.get(name)
      if (value !== undefined) return value
      if (complete) return null
      const fact = session.readFact(API, name, () => ownValue(native, name))
      values.set(name, fact)
      given.set(name, fact)
      return fact
    },
    names() {
      readAll()
      return [...values].flatMap(([name, value]) => (value === null ? [] : [name]))
    },
    wrote(name, value) {
      written.add(name)
      // A name that is set again after being deleted goes to the end, as in the real environment.
      if (value === null || values.get(name) === null) values.delete(name)
      if (value !== null || !complete) values.set(name, value)
    },
    written: () => [...written],
    knows: (name) => complete || values.has(name),
    isGiven: (name, value) =>
      given.get(name) === value || (!written.has(name) && nativeValue(native, name) === value),
    knownNames(isCopy) {
      if (isCopy) return [...written]
      if (!complete) return null
      return [
        ...new Set([...[...given].flatMap(([name, value]) => (value === null ? [] : [name])), ...written]),
      ]
    },
  }
}

export function ownValue(native: NativeEnv, name: string): string | null {
  return Object.hasOwn(native, name) ? (native[name] ?? null) : null
}

function entriesOf(text: string | null): [string, string][] {
  const all: unknown = text === null ? {} : factValue(API, text)
  return typeof all === 'object' && all !== null
    ? Object.entries(all).map(([name, value]) => [name, String(value)])
    : []
}
