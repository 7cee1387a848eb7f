/** The answer of a model as parts: from the `response` of an `llm_call`, which is the same for every API. */
import type { LlmView, MessagePart } from '../../protocol/details.ts'
import { listOf, numberOf, objectOf, textOf, type WireObject } from '../wire.ts'
import { toolCall } from './messages.ts'

export function answerParts(answer: WireObject): MessagePart[] {
  const thinking = textOf(answer.thinking) ?? textOf(answer.thinking_summary)
  const text = textOf(answer.text)
  return [
    ...(thinking === null || thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(text === null || text === '' ? [] : [{ type: 'text' as const, text }]),
    ...listOf(answer.tool_calls).map((call) => {
      const { id, name, arguments: args } = objectOf(call)
      return toolCall(id, name, args)
    }),
  ]
}

export function usageOf(answer: WireObject, usage: unknown): LlmView['usage'] {
  const counted = { ...answer, ...objectOf(usage) }
  const tokens = (name: string): number => numberOf(counted[name]) ?? 0
  const costUsd = numberOf(counted.cost_usd) ?? numberOf(counted.cost)
  if (numberOf(counted.input_tokens) === null && numberOf(counted.output_tokens) === null && costUsd === null)
    return null
  return {
    inputTokens: tokens('input_tokens'),
    outputTokens: tokens('output_tokens'),
    cacheReadTokens: tokens('cache_read_tokens'),
    cacheWriteTokens: tokens('cache_write_tokens'),
    costUsd,
  }
}
