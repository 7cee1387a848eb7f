/**
 * One timer or immediate of a program in a session. For the program it is a real `Timeout` of Node that is
 * not armed; for the session it is an effect. In a recording the session's clock is armed for it and its
 * expiry goes to the gate; in a replay only the tape makes it fire.
 */
import { label } from '../../base/index.ts'
import {
  type ImmediateHandle,
  owners,
  spend,
  type TimeoutHandle,
  unarmedImmediate,
  unarmedTimeout,
} from '../../real/clock-owners.ts'
import { type AnyFunction, disguise } from '../patches.ts'
import type { Effect, Session } from '../session.ts'
import { sessionField } from '../session-field.ts'
import { type ArmedTimer, worldOf } from './clock-driver.ts'

const CLOCK = label('clock')

export type TimerOptions = {
  /** The function that the program called: the first word of the key. */
  readonly api: string
  readonly callback: (...args: never[]) => unknown
  readonly after: unknown
  readonly args?: unknown[] | undefined
  readonly repeats?: boolean
  readonly ref?: boolean
  /** It only resolves a promise. */
  readonly sleeps?: boolean
}

type Timer = {
  readonly session: Session
  readonly api: string
  readonly repeats: boolean
  readonly sleeps: boolean
  /** The value of `+timer`. Counted per session, so that it is the same in a replay. */
  readonly number: number
  ref: boolean
  effect: Effect | null
  armed: ArmedTimer | null
}

const timers = new WeakMap<object, Timer>()
/** Timers that were converted to a number, by session: only these can be cleared by number. */
const numbered = sessionField(() => new Map<string, TimeoutHandle>())

export function startTimer(session: Session, options: TimerOptions): TimeoutHandle {
  const { api, callback, after, args, repeats = false, ref = true, sleeps = false } = options
  const handle = unarmedTimeout(callback, after, args, repeats)
  const { effect, armed } = begin(session, api, handle, { ref, sleeps })
  timers.set(handle, { session, api, repeats, sleeps, number: effect.id, ref, effect, armed })
  return handle
}

/** The handle, if it is one of a session's timers. */
export function sessionTimer(value: unknown): TimeoutHandle | null {
  return typeof value === 'object' && value !== null && timers.has(value) ? (value as TimeoutHandle) : null
}

/** The timer that was converted to this number or text in this session. */
export function timerByNumber(session: Session, value: number | string): TimeoutHandle | null {
  return numbered.get(session).get(String(value)) ?? null
}

export function clearTimer(handle: TimeoutHandle): void {
  const timer = of(handle)
  numbered.get(timer.session).delete(String(timer.number))
  stop(timer)
  spend(handle)
}

/** Restarts the timer, also after it has fired; a cleared timer stays cleared. */
export function refreshTimer(handle: TimeoutHandle): void {
  const timer = of(handle)
  if (handle._idleTimeout < 0) return
  stop(timer)
  handle._destroyed = false
  Object.assign(timer, begin(timer.session, timer.api, handle, timer))
}

export function setTimerRef(handle: TimeoutHandle, ref: boolean): void {
  const timer = of(handle)
  timer.ref = ref
  timer.effect?.setRef(ref)
  timer.armed?.setRef(ref)
}

export function timerHasRef(handle: TimeoutHandle): boolean {
  return of(handle).ref
}

export function numberOf(handle: TimeoutHandle): number {
  const { session, number, effect } = of(handle)
  if (effect !== null) numbered.get(session).set(String(number), handle)
  return number
}

type Begun = { readonly effect: Effect; readonly armed: ArmedTimer | null }

function begin(
  session: Session,
  api: string,
  handle: TimeoutHandle,
  { ref, sleeps }: Pick<Timer, 'ref' | 'sleeps'>,
): Begun {
  const delayMs = handle._idleTimeout
  const effect = session.start(
    CLOCK,
    `${api} ${delayMs}`,
    () => fire(handle),
    sleeps ? { ref, sleepMs: delayMs } : { ref },
  )
  return { effect, armed: arm(session, effect, delayMs, ref) }
}

function arm(session: Session, effect: Effect, delayMs: number, ref: boolean): ArmedTimer | null {
  return effect.isLive ? worldOf(session).arm(delayMs, ref, () => effect.arrive({ type: 'timer' })) : null
}

function fire(handle: TimeoutHandle): void {
  const timer = of(handle)
  const { effect, session } = timer
  if (!timer.repeats) stop(timer)
  const delayMs = handle._idleTimeout
  const startedMs = timer.repeats && effect?.isLive === true ? worldOf(session).monotonicMs() : 0
  try {
    if (handle._timerArgs === undefined) handle._onTimeout?.()
    else handle._onTimeout?.(...handle._timerArgs)
  } finally {
    if (timer.repeats && effect !== null && timer.effect === effect) {
      // As in Node, the next turn is counted from the start of this callback.
      const spentMs = effect.isLive ? worldOf(session).monotonicMs() - startedMs : 0
      timer.armed = arm(session, effect, Math.max(1, delayMs - spentMs), timer.ref)
    } else if (timer.effect === null) {
      numbered.get(session).delete(String(timer.number))
      handle._destroyed = true
    }
  }
}

function stop(timer: Timer): void {
  timer.armed?.disarm()
  timer.effect?.close()
  timer.armed = null
  timer.effect = null
}

function of(handle: TimeoutHandle): Timer {
  const timer = timers.get(handle)
  if (timer === undefined) throw new TypeError('not a timer of a session')
  return timer
}

/** It needs nothing from outside, so its outcome arrives at once and waits for its turn at the gate. */
type Immediate = { readonly effect: Effect; ref: boolean; open: boolean }

const immediates = new WeakMap<object, Immediate>()

export function startImmediate(
  session: Session,
  api: string,
  callback: (...args: never[]) => unknown,
  args?: unknown[],
  ref = true,
): ImmediateHandle {
  const handle = unarmedImmediate(immediatePrototype, callback as (...args: unknown[]) => unknown, args)
  const effect = session.start(CLOCK, api, () => run(handle), { ref })
  immediates.set(handle, { effect, ref, open: true })
  if (effect.isLive) effect.arrive({ type: 'timer' })
  return handle
}

export function sessionImmediate(value: unknown): ImmediateHandle | null {
  return typeof value === 'object' && value !== null && immediates.has(value)
    ? (value as ImmediateHandle)
    : null
}

export function clearSessionImmediate(handle: ImmediateHandle): void {
  const immediate = immediateOf(handle)
  if (immediate.open) immediate.effect.close()
  immediate.open = false
  handle._onImmediate = null
}

/**
 * The methods of a session's immediates. They are not patched into Node's class: Node calls `ref` of that
 * class for every immediate, those of the gate included.
 */
const immediatePrototype: object = Object.create(owners.immediatePrototype, {
  ...Object.getOwnPropertyDescriptors(owners.immediatePrototype),
  ...methodDescriptors({
    ref(this: ImmediateHandle): ImmediateHandle {
      return setImmediateRef(this, true)
    },
    unref(this: ImmediateHandle): ImmediateHandle {
      return setImmediateRef(this, false)
    },
    hasRef(this: ImmediateHandle): boolean {
      const { open, ref } = immediateOf(this)
      return open && ref
    },
    [Symbol.dispose](this: ImmediateHandle): void {
      clearSessionImmediate(this)
    },
  }),
})

/** With the name, length and flags of Node's own. */
function methodDescriptors(methods: Readonly<Record<PropertyKey, AnyFunction>>): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = {}
  for (const key of Reflect.ownKeys(methods)) {
    const own = Object.getOwnPropertyDescriptor(owners.immediatePrototype, key)
    const method = methods[key]
    if (own !== undefined && method !== undefined)
      descriptors[key] = { ...own, value: disguise(method, own.value) }
  }
  return descriptors
}

function setImmediateRef(handle: ImmediateHandle, ref: boolean): ImmediateHandle {
  const immediate = immediateOf(handle)
  // Node's own does nothing once it has run.
  if (immediate.open) {
    immediate.ref = ref
    immediate.effect.setRef(ref)
  }
  return handle
}

function run(handle: ImmediateHandle): void {
  const callback = handle._onImmediate
  const args = handle._argv ?? []
  clearSessionImmediate(handle)
  callback?.apply(handle, args)
}

function immediateOf(handle: ImmediateHandle): Immediate {
  const immediate = immediates.get(handle)
  if (immediate === undefined) throw new TypeError('not an immediate of a session')
  return immediate
}
