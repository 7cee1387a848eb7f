/** How the two runs ended, as the report of a replay says it. */
import type { Json } from '../../base/index.ts'
import { fieldsOf } from '../../base/index.ts'
import type { Finding } from '../../fidelity/index.ts'
import type { ReplayDivergence } from '../difference/divergence.ts'

export function runEndDivergence({ divergences }: Finding): ReplayDivergence[] {
  return divergences.map(({ category, message, expected, actual }) => {
    switch (category) {
      case 'run_exit': {
        const [then, now] = [exitText(expected), exitText(actual)]
        return { ...NO_PLACE, category: 'exit_code', message: `exit diverged: recorded=${then} replay=${now}`, expected: then, actual: now }
      }
      case 'run_stdout':
      case 'run_stderr': {
        const name = category === 'run_stdout' ? 'stdout' : 'stderr'
        const [then, now] = [fieldsOf(expected), fieldsOf(actual)]
        const text = `${name} diverged: recorded=${String(then.bytes)} bytes replay=${String(now.bytes)} bytes`
        return { ...NO_PLACE, category: name, message: text, expected: String(then.hash), actual: String(now.hash) }
      }
      default:
        return { ...NO_PLACE, category, message, expected: JSON.stringify(expected), actual: JSON.stringify(actual) }
    }
  })
}

const NO_PLACE = { seq: null, path: null } as const

/** How a seal says that the process ended. */
export function endOf(exit: Json): { readonly code: number | null; readonly signal: string | null } | null {
  if (typeof exit !== 'object' || exit === null || Array.isArray(exit)) return null
  const { code, signal } = fieldsOf(exit)
  return { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null }
}

function exitText(exit: Json): string {
  const end = endOf(exit)
  return end?.signal ?? String(end?.code ?? null)
}
