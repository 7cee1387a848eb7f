/**
 * Where agent state meets a session that is being recorded or replayed. State looks up here who answers
 * its calls; a session registers itself.
 *
 * The one place is on `globalThis`, by a symbol of the registry: the program's own copy of `reprise/state`
 * and the engine that was loaded before the program are two copies of this module.
 */
import type { Json } from '../base/index.ts'

export type StateCall = {
  /** `read`, `list`, `commit` …; with `path` it is what a replay finds the answer by. */
  readonly call: string
  /** `agent-state:SESSION/KEY`. */
  readonly path: string
  /** Content that the program passes to the call: on the tape, and compared in a replay. */
  readonly sent?: Uint8Array
}

/** What a driver answers: facts, and content. */
export type StateAnswer = { readonly result: Json; readonly content: Uint8Array | null }

export type StateCrossing = {
  /** Epoch milliseconds, as the session has them. */
  now(): number
  /** In a replay no driver is opened, and `perform` is never called. */
  call(call: StateCall, perform: () => Promise<StateAnswer>): Promise<StateAnswer>
  /** Runs what is the driver's own so that nothing of it is taken for the program's. */
  outside<T>(body: () => T): T
  /** Passes hints on until it is disposed of; `listen` is called in a recording only. */
  hints(path: string, listen: (hint: () => void) => Disposable, hint: () => void): Disposable
}

export type StateCrossingPlace = { find(): StateCrossing | null }

const PLACE = Symbol.for('reprise.state-crossing')

export function stateCrossingPlace(): StateCrossingPlace {
  const known: unknown = Reflect.get(globalThis, PLACE)
  if (isPlace(known)) return known
  const made: StateCrossingPlace = { find: () => null }
  Object.defineProperty(globalThis, PLACE, { value: made, configurable: true })
  return made
}

/** Who answers calls of state that is opened now; null: its driver does. */
export function activeStateCrossing(): StateCrossing | null {
  return stateCrossingPlace().find()
}

function isPlace(value: unknown): value is StateCrossingPlace {
  return typeof value === 'object' && value !== null && 'find' in value && typeof value.find === 'function'
}
