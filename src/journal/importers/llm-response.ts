/**
 * The assistant's message in a model's answer as it stands on a tape: OpenAI chat and responses, Anthropic, Gemini, whole or as a stream of
 * server-sent events. An answer of another shape is kept as its text.
 */
import type { JsonValue, ToolCall } from '../events/fields.ts'
import { isPlainObject, listOf, numberOf, type PlainObject, textOf } from '../events/values.ts'
import { assembleStream } from './llm-stream.ts'
import type { Usage } from './log-importer.ts'

export type LlmAnswer = { readonly content: string; readonly calls: readonly ToolCall[]; readonly usage: Omit<Usage, 'model'> | null }

export function readAnswer(text: string): LlmAnswer {
  const value = parseOrNull(text) ?? assembleStream(text)
  return (isPlainObject(value) ? answerOf(value) : null) ?? { content: text, calls: [], usage: null }
}

function answerOf(body: PlainObject): LlmAnswer | null {
  const usage = usageOf(body)
  if (Array.isArray(body.choices)) return { ...fromMessage(messageOf(body.choices[0])), usage }
  if (Array.isArray(body.output)) return { ...fromItems(body.output), usage }
  if (Array.isArray(body.content)) return { ...fromBlocks(body.content), usage }
  if (Array.isArray(body.candidates)) {
    const first: unknown = body.candidates[0]
    const content = isPlainObject(first) && isPlainObject(first.content) ? first.content : {}
    return { ...fromBlocks(listOf(content.parts)), usage }
  }
  if (isPlainObject(body.message)) return { ...fromMessage(body.message), usage }
  if (typeof body.text !== 'string') return null
  // As it stands in the `response` of an `llm_call`.
  const calls = listOf(body.tool_calls).filter(isPlainObject)
  return { content: body.text, calls: calls.map((call) => callOf(call, call)), usage }
}

function messageOf(choice: unknown): PlainObject {
  return isPlainObject(choice) && isPlainObject(choice.message) ? choice.message : {}
}

function fromMessage(message: PlainObject): Omit<LlmAnswer, 'usage'> {
  const calls = listOf(message.tool_calls)
    .filter(isPlainObject)
    .map((call) => callOf(call, isPlainObject(call.function) ? call.function : call))
  return { content: textOf(message.content) ?? '', calls }
}

function fromItems(items: readonly unknown[]): Omit<LlmAnswer, 'usage'> {
  const found = items.filter(isPlainObject)
  const texts = found
    .filter((item) => item.type === 'message')
    .flatMap((item) => listOf(item.content).map((part) => (isPlainObject(part) ? (textOf(part.text) ?? '') : '')))
  const calls = found.filter((item) => item.type === 'function_call').map((item) => callOf({ id: item.call_id ?? item.id }, item))
  return { content: texts.join('\n'), calls }
}

/** Anthropic's content blocks and Gemini's parts. */
function fromBlocks(blocks: readonly unknown[]): Omit<LlmAnswer, 'usage'> {
  const found = blocks.filter(isPlainObject)
  const calls = found.flatMap((block) => {
    if (block.type === 'tool_use') return [callOf(block, { name: block.name, arguments: block.input })]
    return isPlainObject(block.functionCall) ? [callOf({}, { name: block.functionCall.name, arguments: block.functionCall.args })] : []
  })
  return {
    content: found
      .map((block) => textOf(block.text) ?? '')
      .filter(Boolean)
      .join('\n'),
    calls,
  }
}

function callOf(named: PlainObject, asked: PlainObject): ToolCall {
  return { id: textOf(named.id) ?? '', name: textOf(asked.name) ?? '', arguments: (asked.arguments ?? {}) as JsonValue }
}

export function usageOf(body: PlainObject): LlmAnswer['usage'] {
  const usage = isPlainObject(body.usage) ? body.usage : isPlainObject(body.usageMetadata) ? body.usageMetadata : null
  if (usage === null) return null
  return {
    input_tokens: numberOf(usage.input_tokens) ?? numberOf(usage.prompt_tokens) ?? numberOf(usage.promptTokenCount) ?? 0,
    output_tokens: numberOf(usage.output_tokens) ?? numberOf(usage.completion_tokens) ?? numberOf(usage.candidatesTokenCount) ?? 0,
    cache_read_tokens: numberOf(usage.cache_read_input_tokens) ?? 0,
    cache_write_tokens: numberOf(usage.cache_creation_input_tokens) ?? 0,
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A stream of events, or no JSON at all.
    return null
  }
}
