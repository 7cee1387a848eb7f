/**
 * What a program can see of Date, timers and environment besides their values: descriptors, names, lengths,
 * own keys, errors, coercions, warnings. Made to be compared: once plain, once with everything patched and in
 * a session.
 */
import crypto from 'node:crypto'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import util from 'node:util'
import type { Patch } from '../../src/boundaries/patches.ts'

export type Surface = { readonly [name: string]: unknown }

/** The shape of every property that is patched. */
export function shapes(patches: readonly Patch[]): Surface {
  return Object.fromEntries(
    patches.map(({ owner, property }, index) => [
      `${index} ${String(property)}`,
      shapeOf(Object.getOwnPropertyDescriptor(owner, property)),
    ]),
  )
}

function shapeOf(descriptor: PropertyDescriptor | undefined): unknown {
  if (descriptor === undefined) return 'none'
  const { value, get, set, writable, enumerable, configurable } = descriptor
  return {
    value: typeof value,
    get: typeof get,
    set: typeof set,
    writable,
    enumerable,
    configurable,
    function: functionShape(value ?? get),
  }
}

function functionShape(value: unknown): unknown {
  if (typeof value !== 'function') return null
  const keys = Reflect.ownKeys(value)
  return {
    name: value.name,
    length: value.length,
    keys: keys.map(String).sort(),
    flags: keys.map((key) => flags(Object.getOwnPropertyDescriptor(value, key))).sort(),
    isConstructor: keys.includes('prototype'),
  }
}

function flags(descriptor: PropertyDescriptor | undefined): string {
  return `${typeof descriptor?.get} ${descriptor?.writable} ${descriptor?.enumerable} ${descriptor?.configurable}`
}

/** Calls that Node refuses, and what it says. */
export async function refusals(): Promise<Surface> {
  const calls: Readonly<Record<string, () => unknown>> = {
    'setTimeout()': () => Reflect.apply(setTimeout, undefined, []),
    'setTimeout(text)': () => Reflect.apply(setTimeout, undefined, ['code()', 1]),
    'setInterval(null)': () => Reflect.apply(setInterval, undefined, [null, 1]),
    'setImmediate(5)': () => Reflect.apply(setImmediate, undefined, [5]),
    'timers.setTimeout({})': () => Reflect.apply(timers.setTimeout, timers, [{}]),
    'new setTimeout': () => typeof Reflect.construct(setTimeout as never, [() => undefined, 1]),
    'setTimeout(symbol delay)': () => setTimeout(() => undefined, Symbol('x') as never),
    'promised setTimeout(text)': () => timersPromises.setTimeout('5' as never),
    'promised setTimeout, options null': () => timersPromises.setTimeout(1, 0, null as never),
    'promised setTimeout, bad signal': () => timersPromises.setTimeout(1, 0, { signal: {} as never }),
    'promised setTimeout, bad ref': () => timersPromises.setTimeout(1, 0, { ref: 1 as never }),
    'promised setTimeout, aborted': () =>
      timersPromises.setTimeout(1, 0, { signal: AbortSignal.abort('why') }),
    'promised setImmediate, bad options': () => timersPromises.setImmediate(0, 5 as never),
    'promised setImmediate, aborted': () =>
      timersPromises.setImmediate(0, { signal: AbortSignal.abort('why') }),
    'promised setInterval, bad options': () => timersPromises.setInterval(1, 0, 5 as never).next(),
    'promised setInterval, aborted': () =>
      timersPromises.setInterval(1, 0, { signal: AbortSignal.abort('why') }).next(),
    'promised setTimeout, aborted later': () => {
      const controller = new AbortController()
      const waiting = timersPromises.setTimeout(10_000, 0, { signal: controller.signal })
      controller.abort('later')
      return waiting
    },
    'scheduler.wait(text)': () => timersPromises.scheduler.wait('5' as never),
    'scheduler.wait on another object': () => timersPromises.scheduler.wait.call({} as never, 5),
    'scheduler.yield on another object': () => timersPromises.scheduler.yield.call({} as never),
    'AbortSignal.timeout()': () => Reflect.apply(AbortSignal.timeout, AbortSignal, []),
    'AbortSignal.timeout(-1)': () => AbortSignal.timeout(-1),
    'AbortSignal.timeout(text)': () => AbortSignal.timeout('5' as never),
    'performance.now elsewhere': () => performance.now.call({} as never),
    'performance.timeOrigin elsewhere': () =>
      Reflect.get(Object.getPrototypeOf(performance), 'timeOrigin', {}),
    'mark()': () => Reflect.apply(performance.mark, performance, []),
    'mark(negative)': () => performance.mark('a', { startTime: -1 }),
    'mark(text options)': () => performance.mark('a', 'x' as never),
    'mark elsewhere': () => performance.mark.call({} as never, 'a'),
    'measure()': () => Reflect.apply(performance.measure, performance, []),
    'measure(no such mark)': () => performance.measure('a', 'no such mark'),
    'measure(end given, no such mark)': () => performance.measure('a', undefined as never, 'no such mark'),
    'measure({ start, end, duration })': () => performance.measure('a', { start: 1, end: 2, duration: 1 }),
    'measure({})': () => performance.measure('a', {}),
    'measure(name, {}, mark)': () => Reflect.apply(performance.measure, performance, ['a', {}, 'm']),
    'hrtime(text)': () => process.hrtime('5' as never),
    'hrtime([1])': () => process.hrtime([1] as never),
    'format(NaN)': () => new Intl.DateTimeFormat().format(Number.NaN),
    'format elsewhere': () => Reflect.get(Intl.DateTimeFormat.prototype, 'format', {}),
    'formatToParts elsewhere': () => Intl.DateTimeFormat.prototype.formatToParts.call({} as never),
    'clearTimeout(symbol)': () => clearTimeout(Symbol('x') as never),
    'clearImmediate(text)': () => clearImmediate('' as never),
    'env symbol value': () => Reflect.set(process.env, 'RP_SURFACE', Symbol('x')),
    'env symbol name': () => Reflect.set(process.env, Symbol('x'), 'x'),
    'env define, not enumerable': () =>
      Object.defineProperty(process.env, 'RP_SURFACE', { value: 'x', configurable: true, writable: true }),
    'env define, accessor': () => Object.defineProperty(process.env, 'RP_SURFACE', { get: () => 'x' }),
    'cpuUsage(text)': () => process.cpuUsage('x' as never),
    'cpuUsage({})': () => process.cpuUsage({} as never),
    'cpuUsage, negative': () => process.cpuUsage({ user: -1, system: 0 }),
    'randomBytes(-1)': () => crypto.randomBytes(-1),
  }
  const entries: [string, unknown][] = []
  for (const [name, call] of Object.entries(calls)) entries.push([name, await fault(call)])
  return Object.fromEntries(entries)
}

async function fault(call: () => unknown): Promise<unknown> {
  try {
    const result = call()
    if (!(result instanceof Promise)) return ['returned', typeof result]
    return ['resolved', typeof (await result)]
  } catch (error) {
    if (!(error instanceof Error)) return error
    return {
      name: error.name,
      class: error.constructor.name,
      code: Reflect.get(error, 'code'),
      message: error.message,
      cause: error.cause,
    }
  }
}

/** How delays are understood, and what Node says about the odd ones. */
export function delays(): Surface {
  const { emitWarning } = process
  const odd = [
    undefined,
    0,
    -1,
    Number.NaN,
    '5',
    '5x',
    5.7,
    1e-9,
    2 ** 31 - 1,
    2 ** 31,
    Number.POSITIVE_INFINITY,
    null,
    {},
    [7],
    true,
  ]
  const warnings: unknown[] = []
  process.emitWarning = (...args: unknown[]) => void warnings.push(args)
  try {
    const idle = odd.map((delay) => {
      const timer = setTimeout(() => undefined, delay as never)
      const understood: unknown = Reflect.get(timer, '_idleTimeout')
      clearTimeout(timer)
      return [String(delay), understood]
    })
    return { idle, warnings }
  } finally {
    process.emitWarning = emitWarning
  }
}

/** What timer objects look like. */
export function handles(): Surface {
  const timer = setTimeout((..._words: string[]) => undefined, 1000, 'a', 'b')
  const interval = setInterval(() => undefined, 1000)
  const immediate = setImmediate(() => undefined)
  const look = (handle: object): unknown => ({
    class: handle.constructor.name,
    // An async context leaves its mark on whatever is made in it, where Node keeps contexts by resource.
    keys: Reflect.ownKeys(handle)
      .map(String)
      .filter((key) => key !== 'Symbol(kResourceStore)'),
    methods: Reflect.ownKeys(Object.getPrototypeOf(handle)).map(String),
    tag: Object.prototype.toString.call(handle),
  })
  const before = [timer, interval, immediate].map(look)
  const primitive = [typeof Number(timer), Number.isInteger(+timer), typeof `${timer}`]
  const chained = [
    timer.ref() === timer,
    timer.unref() === timer,
    timer.refresh() === timer,
    timer.hasRef(),
    immediate.hasRef(),
  ]
  const args: unknown = Reflect.get(timer, '_timerArgs')
  const repeat: unknown = [Reflect.get(timer, '_repeat'), Reflect.get(interval, '_repeat')]
  clearTimeout(timer)
  clearInterval(interval)
  clearImmediate(immediate)
  const cleared = [
    Reflect.get(timer, '_idleTimeout'),
    Reflect.get(timer, '_destroyed'),
    Reflect.get(timer, '_onTimeout') ?? null,
    timer.hasRef(),
    immediate.hasRef(),
  ]
  return { before, primitive, chained, args, repeat, cleared, again: timer.close() === timer }
}

/** `Date` as everything but a clock. */
export function dates(): Surface {
  class Later extends Date {
    isLater = true
  }
  const later = new Later()
  return {
    inspected: [util.inspect(new Date(0)), util.inspect(Later)],
    typeof: typeof Date,
    length: Date.length,
    name: Date.name,
    keys: Reflect.ownKeys(Date).map(String),
    isInstance: [
      new Date() instanceof Date,
      later instanceof Date,
      later instanceof Later,
      later.isLater,
      new Date(0).constructor === Date,
    ],
    tags: [
      Object.prototype.toString.call(new Date()),
      util.types.isDate(new Date()),
      util.types.isDate(later),
      util.types.isProxy(new Date()),
    ],
    text: /^\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT/.test(Reflect.apply(Date, undefined, [2020, 1])),
    cloned: structuredClone(new Date(7)) instanceof Date,
    inherited: Object.getPrototypeOf(Later) === Date,
    toStringTag: Object.prototype.toString.call(Date),
    newTarget: Object.getPrototypeOf(Reflect.construct(Date, [], Array)) === Array.prototype,
    formatBound: (() => {
      const formatter = new Intl.DateTimeFormat('en')
      const [first, second] = [formatter.format, formatter.format]
      return [first === second, formatter.format.length, formatter.format.name]
    })(),
  }
}

/** How the environment takes values. */
export function environment(): Surface {
  const taken = [5, 0, '', true, false, null, undefined, 1.5, {}, [], [1, 2], 10n].map((value) => {
    const set = Reflect.set(process.env, 'RP_SURFACE', value)
    const seen = [
      typeof value,
      set,
      process.env.RP_SURFACE,
      'RP_SURFACE' in process.env,
      Object.getOwnPropertyDescriptor(process.env, 'RP_SURFACE'),
    ]
    const deleted = delete process.env.RP_SURFACE
    return [
      ...seen,
      deleted,
      process.env.RP_SURFACE,
      'RP_SURFACE' in process.env,
      Object.keys(process.env).includes('RP_SURFACE'),
    ]
  })
  return {
    taken,
    symbolRead: Reflect.get(process.env, Symbol('x')),
    symbolIn: Symbol('x') in process.env,
    prototype: Object.getPrototypeOf(process.env) === Object.prototype,
    tag: Object.prototype.toString.call(process.env),
    extensible: [
      Object.isExtensible(process.env),
      Object.isFrozen(process.env),
      Object.isSealed(process.env),
    ],
    methods: [
      typeof process.env.hasOwnProperty,
      typeof process.env.toString,
      process.env.constructor === Object,
    ],
    printed: [
      util.inspect(process.env) === util.inspect({ ...process.env }),
      JSON.stringify(process.env) === JSON.stringify({ ...process.env }),
    ],
    sameNames: Object.keys(process.env).join() === Object.keys({ ...process.env }).join(),
    numberName: (() => {
      Reflect.set(process.env, 7, 'seven')
      const seen = process.env['7']
      Reflect.deleteProperty(process.env, 7)
      return [seen, process.env['7']]
    })(),
  }
}
