/**
 * The answer as upstream's readers know it: one JSON object, its members in their order, nothing left out.
 */
import type { Json } from '../base/index.ts'
import { unreachable } from '../base/index.ts'
import type { LlmAnswer, LlmBlock } from './answer.ts'

export function responseJson(answer: LlmAnswer, model: string | null, provider: string): string {
  const { blocks, usage } = answer
  const joined = (type: 'text' | 'thinking'): string =>
    blocks.map((block) => (block.type === type ? block.text : '')).join('')
  const thinking = joined('thinking')
  return JSON.stringify({
    text: joined('text'),
    tool_calls: blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? [{ id: block.call.id, type: 'tool_call', name: block.call.name, arguments: block.call.arguments }]
        : [],
    ),
    input_tokens: usage?.input ?? 0,
    output_tokens: usage?.output ?? 0,
    cache_read_tokens: usage?.cacheRead ?? 0,
    cache_write_tokens: usage?.cacheWrite ?? 0,
    model: model ?? '',
    provider,
    thinking: thinking === '' ? null : thinking,
    thinking_summary: answer.thinkingSummary,
    stop_reason: answer.stopReason,
    blocks: blocks.map(blockJson),
    logprobs: answer.logprobs,
  })
}

/** Upstream sorts the members of a block. */
function blockJson(block: LlmBlock): Json {
  switch (block.type) {
    case 'text':
      return { text: block.text, type: 'output_text', visibility: 'public' }
    case 'thinking':
      return { text: block.text, type: 'reasoning', visibility: 'private' }
    case 'tool_call':
      return {
        arguments: block.call.arguments,
        id: block.call.id,
        name: block.call.name,
        type: 'tool_call',
        visibility: 'internal',
      }
    default:
      return unreachable(block)
  }
}
