/**
 * What a recording contains, in a few numbers: for the last line of `reprise record`, and for `onSummary` of
 * the library.
 */
import { inspectTape, type TapeSummary } from './inspect.ts'

export type RunSummary = {
  readonly tape: string
  /** Without the seal. */
  readonly records: number
  readonly modelCalls: number
  /** Subprocesses that the program started. */
  readonly children: number
  /** By name; each once, with its number of records. */
  readonly gaps: readonly { readonly boundary: string; readonly reason: string; readonly count: number }[]
  readonly sealed: boolean
}

export function runSummary(tape: string, found: TapeSummary = inspectTape(tape)): RunSummary {
  const gaps = new Map<string, { readonly boundary: string; readonly reason: string; count: number }>()
  for (const { boundary, reason } of found.gaps) {
    const key = `${boundary} ${reason}`
    const known = gaps.get(key)
    if (known === undefined) gaps.set(key, { boundary, reason, count: 1 })
    else known.count += 1
  }
  return {
    tape,
    records: found.records,
    modelCalls: found.kinds.llm_call ?? 0,
    children: found.kinds.process_spawn ?? 0,
    gaps: [...gaps.values()],
    sealed: found.sealed,
  }
}
