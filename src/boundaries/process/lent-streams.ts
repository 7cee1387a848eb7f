/**
 * A stream of one child that another child gets as its stdin or output (`stdio: [other.stdout]`). Node would
 * pass the native pipe; our stand-in has none. So the child is started as if that stream were ignored, and
 * while recording the real pipe is passed on. Its bytes do not pass through the program in either mode.
 */
import type { StreamHandle } from '../../real/child-handles.ts'

/** Returns the real pipe and gives up its ownership; null in a replay. */
export type Lender = () => StreamHandle | null

const lenders = new WeakMap<object, Lender>()

export function mayBeLent(handle: object, lender: Lender): void {
  lenders.set(handle, lender)
}

type Stream = { readonly _handle?: unknown; pause?: () => unknown }

/**
 * Removes the streams of other children from a `stdio` option. The option is Node's own copy; the list is the
 * program's, and is not changed.
 */
export function takeLent(options: { stdio?: unknown }): ReadonlyMap<number, Lender> {
  const lent = new Map<number, Lender>()
  if (!Array.isArray(options.stdio)) return lent
  const stdio = options.stdio.map((entry: unknown, at) => {
    const { _handle: handle, pause } = isStream(entry) ? entry : {}
    const lender = typeof handle === 'object' && handle !== null ? lenders.get(handle) : undefined
    if (lender === undefined) return entry
    lent.set(at, lender)
    pause?.call(entry)
    return 'ignore'
  })
  if (lent.size > 0) options.stdio = stdio
  return lent
}

function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && '_handle' in value
}
