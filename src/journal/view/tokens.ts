/**
 * Tokens and cost, as far as the log has them. `counted` is the sum of the messages' own `token_count`; `usage`
 * on an `llm_completed`, which importers write from what a provider reported, gives input, output, cache and
 * cost; `reported` is what runs reported at their end. Nothing is estimated.
 */
import { isObject, listOf, numberOf, textOf } from '../../base/index.ts'
import type { Collector, ReadEvent } from './collector.ts'

type ModelUse = {
  readonly model: string
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly costUsd: number | null
}
export type TokensView = {
  readonly calls: number
  readonly counted: number
  readonly toolResults: number
  readonly reported: number
  readonly models: readonly ModelUse[]
  readonly costUsd: number | null
}

export function collectTokens(): Collector<TokensView> {
  let calls = 0
  let counted = 0
  let toolResults = 0
  let reported = 0
  const models = new Map<string, ModelUse>()
  return {
    add(_seq, event) {
      switch (event.kind) {
        case 'llm_completed':
          calls += 1
          counted += isObject(event.message)
            ? (numberOf(event.message.token_count) ?? 0)
            : (numberOf(event.token_count) ?? 0)
          addUsage(models, event)
          return
        case 'tool_completed':
          for (const result of listOf(event.results))
            toolResults += isObject(result) ? (numberOf(result.token_count) ?? 0) : 0
          return
        case 'run_terminal':
          reported += numberOf(event.total_tokens) ?? 0
          return
      }
    },
    view() {
      const rows = [...models.values()]
      return {
        calls,
        counted,
        toolResults,
        reported,
        models: rows,
        costUsd: rows.reduce<number | null>((sum, row) => plus(sum, row.costUsd), null),
      }
    },
  }
}

function addUsage(models: Map<string, ModelUse>, event: ReadEvent): void {
  const { usage } = event
  if (!isObject(usage)) return
  const model = textOf(usage.model) ?? '(unnamed)'
  const row = models.get(model) ?? {
    model,
    calls: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    costUsd: null,
  }
  models.set(model, {
    model,
    calls: row.calls + 1,
    input: row.input + (numberOf(usage.input_tokens) ?? 0),
    output: row.output + (numberOf(usage.output_tokens) ?? 0),
    cacheRead: row.cacheRead + (numberOf(usage.cache_read_tokens) ?? 0),
    cacheWrite: row.cacheWrite + (numberOf(usage.cache_write_tokens) ?? 0),
    costUsd: plus(row.costUsd, numberOf(usage.cost_usd)),
  })
}

function plus(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more
}
