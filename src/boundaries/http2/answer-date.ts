/**
 * The `date` header that Node adds to the responses of an HTTP/2 server. Node reads its own clock for it;
 * this adds the time of the session before Node does.
 */
import { label } from '../../base/index.ts'
import { readWallOf } from '../clock/index.ts'
import { activeSession } from '../context.ts'
import type { AnyFunction } from '../patches.ts'

const DATE_HEADER = label('http2.Date')

/** `at`: the positions of `headers` and `options` among the arguments. */
export function withRecordedDate(at: number): (original: AnyFunction) => AnyFunction {
  return (original) =>
    function (this: unknown, ...args: unknown[]): unknown {
      const session = activeSession('clock')
      const [headers, options] = args.slice(at)
      if (session === null || Reflect.get(Object(options), 'sendDate') === false || hasDate(headers))
        return Reflect.apply(original, this, args)
      const date = readWallOf(session, DATE_HEADER).toUTCString()
      // The headers may be missing.
      const given = [...args.slice(0, at), withDate(headers, date), ...args.slice(at + 1)]
      return Reflect.apply(original, this, given)
    }
}

/** An object by name, or a list of alternating names and values. */
function hasDate(headers: unknown): boolean {
  if (Array.isArray(headers)) return headers.some((name, at) => at % 2 === 0 && isDate(name))
  return Object.entries(Object(headers)).some(([name, value]) => isDate(name) && value != null)
}

function withDate(headers: unknown, date: string): unknown {
  if (Array.isArray(headers)) return [...headers, 'date', date]
  const own = Object(headers)
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(own), date: shown(date) })
}

function shown(value: string): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}

function isDate(name: unknown): boolean {
  return typeof name === 'string' && name.toLowerCase() === 'date'
}
