/** Facts that need a conversion for JSON: those with an argument, with a null prototype, or as Buffers. */
import { type Label, label } from '../../base/index.ts'
import { activeSession, outside } from '../context.ts'
import type { AnyFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { factValue } from './recorded-fact.ts'

const MEMORY = label('process.memoryUsage')
const MEMORY_RSS = label('process.memoryUsage.rss')
const USER = label('os.userInfo')

export function memoryUsage(original: AnyFunction): AnyFunction {
  const standIn = function (this: unknown): unknown {
    const session = activeSession('env')
    if (session === null) return Reflect.apply(original, this, [])
    return json(session, MEMORY, () => Reflect.apply(original, this, []))
  }
  const real: unknown = Reflect.get(original, 'rss')
  if (typeof real !== 'function') return standIn
  const rss = function rss(this: unknown): unknown {
    const session = activeSession('env')
    return session === null
      ? Reflect.apply(real, this, [])
      : json(session, MEMORY_RSS, () => Reflect.apply(real, this, []))
  }
  return Object.assign(standIn, { rss })
}

type CpuUsage = { user: number; system: number }

/** With an earlier value it returns the difference: the reading is the fact, the difference is computed. */
export function cpuUsage(api: Label): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('env')
      const [since] = args
      if (session === null || (since !== undefined && !isCpuUsage(since)))
        return Reflect.apply(original, this, args)
      const now = json(session, api, () => Reflect.apply(original, this, [])) as CpuUsage
      return since === undefined ? now : { user: now.user - since.user, system: now.system - since.system }
    }
}

/** As Node sees it: what it rejects is left to it. */
function isCpuUsage(value: unknown): value is CpuUsage {
  if (typeof value !== 'object' || value === null) return false
  const { user, system } = value as { user?: unknown; system?: unknown }
  return isCount(user) && isCount(system)
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

type UserInfo = { [key: string]: string | number | null }

export function osUserInfo(original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    const session = activeSession('env')
    if (session === null) return Reflect.apply(original, this, args)
    const asBuffers =
      typeof args[0] === 'object' && args[0] !== null && Reflect.get(args[0], 'encoding') === 'buffer'
    const user = json(session, USER, () => Reflect.apply(original, this, [])) as UserInfo
    const entries = Object.entries(user).map(
      ([key, value]) => [key, asBuffers && typeof value === 'string' ? Buffer.from(value) : value] as const,
    )
    return Object.assign(Object.create(null), Object.fromEntries(entries))
  }
}

function json(session: Session, api: Label, perform: () => unknown): unknown {
  const text = session.readFact(api, api, () => JSON.stringify(outside(perform)))
  return text === null ? undefined : factValue(api, text)
}
