/**
 * Functions of `process` that change what later calls may do or make: the mask of new files, and whose rights
 * the process has. Each call is on the tape with its arguments and its answer. A replay changes nothing: it
 * makes no file, and needs its rights to write its own.
 */
import { fieldsOf, label } from '../../base/index.ts'
import { processOwners } from '../../real/process-owners.ts'
import { activeSession } from '../context.ts'
import { errorFacts, errorFactsOf, errorFromFacts } from '../errors.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { factValue } from './recorded-fact.ts'

const SETTINGS = ['umask', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups']

export function settingPatches(): Patch[] {
  const { process } = processOwners
  return SETTINGS.filter((name) => Object.hasOwn(process, name)).map((name) =>
    patchFunction(process, name, setting(name)),
  )
}

function setting(name: string): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('env')
      const perform = (...given: unknown[]): unknown => Reflect.apply(original, this, given)
      if (session === null) return perform(...args)
      const text = answered(session, name, args, () => perform(...args))
      // No tape has an answer: the mask is the real one.
      if (text === null) return name === 'umask' ? perform() : undefined
      const answer = fieldsOf(factValue(`process.${name}`, text))
      if (answer.error !== undefined) throw errorFromFacts(errorFactsOf(answer.error))
      return answer.value
    }
}

/** A read of the mask is a fact; everything else is a call with its arguments. */
function answered(session: Session, name: string, args: readonly unknown[], perform: () => unknown) {
  const api = label(`process.${name}`)
  return session.readFact(api, args.length === 0 ? api : JSON.stringify(args), () => {
    try {
      return JSON.stringify({ value: perform() })
    } catch (error) {
      return JSON.stringify({ error: errorFacts(error) })
    }
  })
}
