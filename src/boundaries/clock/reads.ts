/**
 * The patched functions that return a time without a date object: `performance`, `process.hrtime`,
 * `process.uptime`.
 */
import { label } from '../../base/index.ts'
import { owners } from '../../real/clock-owners.ts'
import { activeSession, clockSession } from '../context.ts'
import { type AnyFunction, type Patch, patchFunction } from '../patches.ts'
import type { ClockValue, Session } from '../session.ts'
import { worldOf } from './clock-driver.ts'

const PERFORMANCE_NOW = label('performance.now')
const TIME_ORIGIN = label('performance.timeOrigin')
const HRTIME = label('process.hrtime')
const HRTIME_BIGINT = label('process.hrtime.bigint')
const UPTIME = label('process.uptime')
const NS_PER_S = 1_000_000_000n

export function readPatches(): Patch[] {
  return [
    patchFunction(owners.performancePrototype, 'now', performanceNow),
    { owner: owners.performancePrototype, property: 'timeOrigin', replace: timeOrigin },
    patchFunction(owners.process, 'hrtime', hrtime),
    patchFunction(owners.process, 'uptime', uptime),
  ]
}

/** The value of `performance.now()` in this session. */
export function readPerformanceNow(session: Session): number {
  return msOf(
    session.readClock(PERFORMANCE_NOW, 'monotonic', () => ({
      unit: 'ms',
      value: worldOf(session).monotonicMs(),
    })),
  )
}

export function msOf(value: ClockValue): number {
  return value.unit === 'ms' ? value.value : Number(value.value) / 1e6
}

export function nsOf(value: ClockValue): bigint {
  return value.unit === 'ns' ? value.value : BigInt(Math.round(value.value * 1e6))
}

function performanceNow(original: AnyFunction): AnyFunction {
  const standIn = {
    now(this: unknown): unknown {
      // Any other receiver gets the original's error.
      const session = this === owners.performance ? clockSession(standIn.now) : null
      return session === null ? Reflect.apply(original, this, []) : readPerformanceNow(session)
    },
  }
  return standIn.now
}

function timeOrigin(original: PropertyDescriptor): PropertyDescriptor {
  const real = original.get
  if (real === undefined) return original
  const { get } = {
    get(this: unknown): unknown {
      const session = this === owners.performance ? clockSession(get) : null
      if (session === null) return Reflect.apply(real, this, [])
      return msOf(
        session.readClock(TIME_ORIGIN, 'wall', () => ({
          unit: 'ms',
          value: worldOf(session).timeOriginMs(),
        })),
      )
    },
  }
  Object.defineProperty(get, 'name', { value: real.name, configurable: true })
  return { ...original, get }
}

function hrtime(original: AnyFunction): AnyFunction {
  const tuple = function hrtime(this: unknown, ...args: unknown[]): unknown {
    const [since] = args
    if (since !== undefined && !isPair(since)) return Reflect.apply(original, this, args)
    const session = clockSession(tuple)
    if (session === null) return Reflect.apply(original, this, args)
    const ns = readNs(session, HRTIME)
    return since === undefined ? pairOf(ns) : difference(pairOf(ns), since)
  }
  const real: unknown = Reflect.get(original, 'bigint')
  if (typeof real !== 'function') return tuple
  const bigint = function hrtimeBigInt(this: unknown): unknown {
    const session = clockSession(bigint)
    if (session === null) return Reflect.apply(real, this, [])
    return readNs(session, HRTIME_BIGINT)
  }
  return Object.assign(tuple, { bigint })
}

function readNs(session: Session, api: typeof HRTIME): bigint {
  return nsOf(
    session.readClock(api, 'monotonic', () => ({ unit: 'ns', value: worldOf(session).monotonicNs() })),
  )
}

type Pair = [seconds: number, nanoseconds: number]

function isPair(value: unknown): value is Pair {
  return Array.isArray(value) && value.length === 2
}

function pairOf(ns: bigint): Pair {
  return [Number(ns / NS_PER_S), Number(ns % NS_PER_S)]
}

function difference([seconds, nanoseconds]: Pair, since: Pair): Pair {
  const s = seconds - since[0]
  const ns = nanoseconds - since[1]
  return ns < 0 ? [s - 1, ns + 1e9] : [s, ns]
}

function uptime(original: AnyFunction): AnyFunction {
  return {
    uptime(this: unknown): unknown {
      const session = activeSession('clock')
      if (session === null) return Reflect.apply(original, this, [])
      return (
        msOf(
          session.readClock(UPTIME, 'monotonic', () => ({ unit: 'ms', value: worldOf(session).uptimeMs() })),
        ) / 1000
      )
    },
  }.uptime
}
