/**
 * What happened to the context and the memory: how often it was compressed, paged, spooled, renewed, rolled
 * back, written and asked.
 */
import type { Collector } from './collector.ts'

export type ContextUse = {
  readonly compressed: number
  readonly pageOut: number
  readonly pageIn: number
  readonly spooled: number
  readonly renewed: number
  readonly checkpoints: number
  readonly rollbacks: number
  readonly memoryWritten: number
  readonly memoryQueried: number
  readonly memoryFailed: number
  readonly memoryRetrieved: number
  readonly milestonesAdvanced: number
  readonly milestonesBlocked: number
}

const COUNTED: Readonly<Record<string, keyof ContextUse>> = {
  compressed: 'compressed',
  page_out: 'pageOut',
  page_in: 'pageIn',
  large_result_spooled: 'spooled',
  context_renewed: 'renewed',
  checkpoint_taken: 'checkpoints',
  rollbacked: 'rollbacks',
  memory_written: 'memoryWritten',
  memory_queried: 'memoryQueried',
  memory_validation_failed: 'memoryFailed',
  memory_retrieval_result: 'memoryRetrieved',
  milestone_advanced: 'milestonesAdvanced',
  milestone_blocked: 'milestonesBlocked',
}

export function collectContext(): Collector<ContextUse> {
  const counts = Object.fromEntries(Object.values(COUNTED).map((name) => [name, 0])) as {
    -readonly [K in keyof ContextUse]: number
  }
  return {
    add(_seq, event) {
      const name = Object.hasOwn(COUNTED, event.kind) ? COUNTED[event.kind] : undefined
      if (name !== undefined) counts[name] += 1
    },
    view: () => ({ ...counts }),
  }
}
