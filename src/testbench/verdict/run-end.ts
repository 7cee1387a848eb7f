/** How the two runs ended, for the report of a replay. */
import type { Json } from '../../base/index.ts'
import { fieldsOf } from '../../base/index.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import type { Finding } from '../../fidelity/index.ts'
import { otherExit, otherOutput } from '../../fidelity/sentences.ts'

export function runEndDivergence({ divergences }: Finding): Divergence[] {
  return divergences.map((divergence) => {
    const { category, expected, actual } = divergence
    switch (category) {
      case 'run_exit':
        return otherExit(exitText(expected), exitText(actual))
      case 'run_stdout':
      case 'run_stderr':
        return otherOutput(
          category === 'run_stdout' ? 'stdout' : 'stderr',
          printed(expected),
          printed(actual),
        )
      default:
        return { ...divergence, expected: JSON.stringify(expected), actual: JSON.stringify(actual) }
    }
  })
}

/** How the process ended, from its seal. */
export function endOf(exit: Json): { readonly code: number | null; readonly signal: string | null } | null {
  if (typeof exit !== 'object' || exit === null || Array.isArray(exit)) return null
  const { code, signal } = fieldsOf(exit)
  return { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null }
}

function printed(output: Json): { readonly bytes: string; readonly hash: string } {
  const { bytes, hash } = fieldsOf(output)
  return { bytes: String(bytes), hash: String(hash) }
}

function exitText(exit: Json): string {
  const end = endOf(exit)
  return end?.signal ?? String(end?.code ?? null)
}
