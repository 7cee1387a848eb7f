/**
 * `Date`, wherever it reads the clock: without arguments, as a function, as `Date.now`, and inside
 * `Intl.DateTimeFormat` if no date is given.
 *
 * The constructor is a Proxy over the real one, so that subclasses, `Reflect.construct`, `instanceof`,
 * `structuredClone` and `util.types.isDate` get a real Date.
 */
import { type Label, label } from '../../base/index.ts'
import { owners, RealDate, realDateText } from '../../real/clock-owners.ts'
import { activeSession, clockSession } from '../context.ts'
import { type AnyFunction, disguise, type Patch, patchFunction } from '../patches.ts'
import type { Session } from '../session.ts'
import { worldOf } from './clock-driver.ts'
import { msOf } from './reads.ts'

const DATE = label('Date')
const DATE_NOW = label('Date.now')
const FORMAT = label('Intl.DateTimeFormat')

export function datePatches(): Patch[] {
  return [
    { owner: owners.globals, property: 'Date', replace: proxied },
    { owner: RealDate.prototype, property: 'constructor', replace: proxied },
    patchFunction(RealDate, 'now', dateNow),
    { owner: owners.dateTimeFormatPrototype, property: 'format', replace: formatGetter },
    patchFunction(owners.dateTimeFormatPrototype, 'formatToParts', formatToParts),
  ]
}

function readWall(session: Session, api: Label): number {
  return msOf(session.readClock(api, 'wall', () => ({ unit: 'ms', value: worldOf(session).wallMs() })))
}

/** The time of a session, for a header that Node makes. */
export function readWallOf(session: Session, api: Label): Date {
  return new RealDate(readWall(session, api))
}

const proxies = new WeakMap<object, object>()

/** `globalThis.Date` and `Date.prototype.constructor` are the same object, and so are their stand-ins. */
function proxied(descriptor: PropertyDescriptor): PropertyDescriptor {
  const real: DateConstructor = descriptor.value
  let proxy = proxies.get(real)
  if (proxy === undefined) {
    const apply = (target: DateConstructor, self: unknown, args: unknown[]): unknown => {
      const session = clockSession(apply)
      if (session === null) return Reflect.apply(target, self, args)
      return realDateText(new target(readWall(session, DATE)))
    }
    const construct = (target: DateConstructor, args: unknown[], newTarget: NewableFunction): object => {
      const session = args.length === 0 ? clockSession(construct) : null
      if (session === null) return Reflect.construct(target, args, newTarget)
      return Reflect.construct(target, [readWall(session, DATE)], newTarget)
    }
    proxy = new Proxy(real, { apply, construct })
    proxies.set(real, proxy)
  }
  return { ...descriptor, value: proxy }
}

function dateNow(original: AnyFunction): AnyFunction {
  const standIn = {
    now(this: unknown): unknown {
      const session = clockSession(standIn.now)
      if (session === null) return Reflect.apply(original, this, [])
      return readWall(session, DATE_NOW)
    },
  }
  return standIn.now
}

/** The getter returns one bound function per formatter, the same at every read. This one does the same. */
function formatGetter(descriptor: PropertyDescriptor): PropertyDescriptor {
  const real = descriptor.get
  if (real === undefined) return descriptor
  const bound = new WeakMap<object, AnyFunction>()
  const { get } = {
    get(this: unknown): unknown {
      const format: AnyFunction = Reflect.apply(real, this, [])
      const known =
        bound.get(format) ??
        disguise((date?: unknown) => Reflect.apply(format, undefined, [orNow(date)]), format)
      bound.set(format, known)
      return known
    },
  }
  Object.defineProperty(get, 'name', { value: real.name, configurable: true })
  return { ...descriptor, get }
}

function formatToParts(original: AnyFunction): AnyFunction {
  return {
    formatToParts(this: unknown, date?: unknown): unknown {
      // A wrong receiver is rejected before the clock is read.
      return Reflect.apply(original, this, [this instanceof Intl.DateTimeFormat ? orNow(date) : date])
    },
  }.formatToParts
}

function orNow(date: unknown): unknown {
  const session = date === undefined ? activeSession('clock') : null
  return session === null ? date : readWall(session, FORMAT)
}
