/**
 * The assistant's message in a model's answer as it stands on a tape: OpenAI chat and responses, Anthropic, Gemini, whole or as a stream of
 * server-sent events. An answer of another shape is kept as its text.
 */
import { fieldsOf, isObject, jsonOf, listOf, numberOf, textOf, type UnknownObject } from '../../base/index.ts'
import type { JsonValue, ToolCall } from '../events/fields.ts'
import { assembleStream } from './llm-stream.ts'
import type { Usage } from './log-importer.ts'

export type LlmAnswer = { readonly content: string; readonly calls: readonly ToolCall[]; readonly usage: Omit<Usage, 'model'> | null }

export function readAnswer(text: string): LlmAnswer {
  const value = jsonOf(text) ?? assembleStream(text)
  return (isObject(value) ? answerOf(value) : null) ?? { content: text, calls: [], usage: null }
}

function answerOf(body: UnknownObject): LlmAnswer | null {
  const usage = usageOf(body)
  if (Array.isArray(body.choices)) return { ...fromMessage(messageOf(body.choices[0])), usage }
  if (Array.isArray(body.output)) return { ...fromItems(body.output), usage }
  if (Array.isArray(body.content)) return { ...fromBlocks(body.content), usage }
  if (Array.isArray(body.candidates)) {
    const first: unknown = body.candidates[0]
    const content = fieldsOf(fieldsOf(first).content)
    return { ...fromBlocks(listOf(content.parts)), usage }
  }
  if (isObject(body.message)) return { ...fromMessage(body.message), usage }
  if (typeof body.text !== 'string') return null
  // As it stands in the `response` of an `llm_call`.
  const calls = listOf(body.tool_calls).filter(isObject)
  return { content: body.text, calls: calls.map((call) => callOf(call, call)), usage }
}

function messageOf(choice: unknown): UnknownObject {
  return fieldsOf(fieldsOf(choice).message)
}

function fromMessage(message: UnknownObject): Omit<LlmAnswer, 'usage'> {
  const calls = listOf(message.tool_calls)
    .filter(isObject)
    .map((call) => callOf(call, isObject(call.function) ? call.function : call))
  return { content: textOf(message.content) ?? '', calls }
}

function fromItems(items: readonly unknown[]): Omit<LlmAnswer, 'usage'> {
  const found = items.filter(isObject)
  const texts = found
    .filter((item) => item.type === 'message')
    .flatMap((item) => listOf(item.content).map((part) => (isObject(part) ? (textOf(part.text) ?? '') : '')))
  const calls = found.filter((item) => item.type === 'function_call').map((item) => callOf({ id: item.call_id ?? item.id }, item))
  return { content: texts.join('\n'), calls }
}

/** Anthropic's content blocks and Gemini's parts. */
function fromBlocks(blocks: readonly unknown[]): Omit<LlmAnswer, 'usage'> {
  const found = blocks.filter(isObject)
  const calls = found.flatMap((block) => {
    if (block.type === 'tool_use') return [callOf(block, { name: block.name, arguments: block.input })]
    return isObject(block.functionCall) ? [callOf({}, { name: block.functionCall.name, arguments: block.functionCall.args })] : []
  })
  return {
    content: found
      .map((block) => textOf(block.text) ?? '')
      .filter(Boolean)
      .join('\n'),
    calls,
  }
}

function callOf(named: UnknownObject, asked: UnknownObject): ToolCall {
  return { id: textOf(named.id) ?? '', name: textOf(asked.name) ?? '', arguments: (asked.arguments ?? {}) as JsonValue }
}

export function usageOf(body: UnknownObject): LlmAnswer['usage'] {
  const usage = isObject(body.usage) ? body.usage : isObject(body.usageMetadata) ? body.usageMetadata : null
  if (usage === null) return null
  return {
    input_tokens: numberOf(usage.input_tokens) ?? numberOf(usage.prompt_tokens) ?? numberOf(usage.promptTokenCount) ?? 0,
    output_tokens: numberOf(usage.output_tokens) ?? numberOf(usage.completion_tokens) ?? numberOf(usage.candidatesTokenCount) ?? 0,
    cache_read_tokens: numberOf(usage.cache_read_input_tokens) ?? 0,
    cache_write_tokens: numberOf(usage.cache_creation_input_tokens) ?? 0,
  }
}
