/**
 * Wraps a function that reaches outside the process and is not captured. In a recording the call passes and
 * is a gap, once per name. In a replay it is refused: it throws the divergence, which names the call and
 * decides the exit code even if the program swallows it.
 *
 * Calls of Reprise itself, of module loaders, and without a session go to the original.
 */
import { label } from '../../base/index.ts'
import { callersOf } from '../caller.ts'
import { activeSession } from '../context.ts'
import type { CrossingName } from '../names.ts'
import type { AnyFunction, Patch } from '../patches.ts'

/**
 * Whether a call with these arguments reaches nothing outside. `caller` returns the file of the function that
 * makes the call.
 */
export type IsHarmless = (args: readonly unknown[], isLive: boolean, caller: () => string) => boolean

export type Refusal = {
  /** As the program would write it: `v8.writeHeapSnapshot`. */
  readonly name: string
  readonly boundary: CrossingName
  readonly isHarmless?: IsHarmless
  /** A property that a program turns on: a replay keeps the value for the program, and turns nothing on. */
  readonly isSwitch?: boolean
}

/** Throws in a replay; keeps a gap in a recording. */
function refuseCall({ name, boundary, isHarmless }: Refusal, args: readonly unknown[]): void {
  const session = activeSession(boundary)
  if (session === null) return
  const isLive = session.isLive(label(boundary))
  if (isHarmless?.(args, isLive, callerFile) === true) return
  const call = isHarmless === undefined ? name : callText(name, args)
  if (isLive) session.gap(label(boundary), `${call} is not captured`)
  // No tape has such an effect: starting it throws the divergence, and keeps it.
  else session.start(label(boundary), call, () => undefined)
}

function isReplayed({ boundary }: Refusal): boolean {
  return activeSession(boundary)?.isLive(label(boundary)) === false
}

/** The first frame is the wrapper of `refusing`. */
function callerFile(): string {
  return callersOf(refuseCall, 2)[1] ?? ''
}

/** With the argument that made the difference, if it is a short text. */
function callText(name: string, [first]: readonly unknown[]): string {
  return typeof first === 'string' && first.length < 100 ? `${name}(${JSON.stringify(first)})` : name
}

/** The function behind a proxy, so that `instanceof`, subclasses and properties stay the same. */
function refusing(original: AnyFunction, refusal: Refusal): AnyFunction {
  return new Proxy(original, {
    apply(target, self, args) {
      refuseCall(refusal, args)
      return Reflect.apply(target, self, args)
    },
    construct(target, args, newTarget) {
      refuseCall(refusal, args)
      return Reflect.construct(target, args, newTarget)
    },
  })
}

/** Patches of one property: the function itself, and the `constructor` of its prototype. */
export function refusalPatches(owner: object, property: string, refusal: Refusal): Patch[] {
  const descriptor = Object.getOwnPropertyDescriptor(owner, property)
  if (descriptor === undefined) return []
  if (descriptor.get !== undefined || descriptor.set !== undefined)
    return [accessorPatch(owner, property, refusal)]
  const original: unknown = descriptor.value
  if (typeof original !== 'function') return []
  const door = refusing(original as AnyFunction, refusal)
  const replace = (found: PropertyDescriptor): PropertyDescriptor => ({ ...found, value: door })
  const prototype: unknown = Object.getOwnPropertyDescriptor(original, 'prototype')?.value
  return [
    { owner, property, replace },
    ...(isMadeBy(prototype, original) ? [{ owner: prototype, property: 'constructor', replace }] : []),
  ]
}

function isMadeBy(prototype: unknown, made: unknown): prototype is object {
  if (typeof prototype !== 'object' || prototype === null) return false
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'constructor')
  return descriptor?.value === made && descriptor?.configurable === true
}

/** Reading returns a function that is refused; setting is refused, but for a switch. */
function accessorPatch(owner: object, property: string, refusal: Refusal): Patch {
  let isOnForProgram = false
  return {
    owner,
    property,
    replace({ get, set, ...rest }) {
      return {
        ...rest,
        get(this: unknown) {
          if (isOnForProgram) return true
          const value: unknown = get === undefined ? undefined : Reflect.apply(get, this, [])
          return typeof value === 'function' ? refusing(value as AnyFunction, refusal) : value
        },
        set(this: unknown, value: unknown) {
          isOnForProgram = refusal.isSwitch === true && value === true && isReplayed(refusal)
          if (isOnForProgram) return
          refuseCall(refusal, [value])
          if (set !== undefined) Reflect.apply(set, this, [value])
        },
      }
    },
  }
}
