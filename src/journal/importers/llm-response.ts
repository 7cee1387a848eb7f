/**
 * The assistant's message in a model's answer as stored on a tape: in the form of our own `llm_call`, or
 * as an API of a model sent it, whole or as a stream. An answer of another shape is kept as its text.
 */
import { isObject, type JsonObject, numberOf, objectsOf, textOf } from '../../base/index.ts'
import type { LlmAnswer, LlmToolCall } from '../../llm/answer.ts'
import { anthropicMessages } from '../../llm/anthropic-messages.ts'
import { answerDocuments } from '../../llm/documents.ts'
import { ollama } from '../../llm/ollama.ts'
import { openaiResponses } from '../../llm/openai-responses.ts'
import { apiOfAnswer } from '../../llm/recognise.ts'
import type { JsonValue, ToolCall } from '../events/fields.ts'
import type { Usage } from './log-importer.ts'

export type ImportedAnswer = {
  readonly content: string
  readonly calls: readonly ToolCall[]
  readonly usage: Omit<Usage, 'model'> | null
}

export function readAnswer(text: string): ImportedAnswer {
  const documents = answerDocuments(text)
  const answer = apiOfAnswer(documents)?.read(documents) ?? withoutType(documents)
  if (answer !== null) return imported(answer)
  return ownAnswer(documents) ?? { content: text, calls: [], usage: null }
}

/** A whole answer without the member that names its type, as a hand-written tape may have it. */
function withoutType(documents: readonly JsonObject[]): LlmAnswer | null {
  const [body] = documents
  if (body === undefined || documents.length > 1) return null
  if (Array.isArray(body.output)) return openaiResponses.read(documents)
  if (Array.isArray(body.content)) return anthropicMessages.read([{ ...body, type: 'message' }])
  return isObject(body.message) ? ollama.read(documents) : null
}

function imported({ blocks, usage }: LlmAnswer): ImportedAnswer {
  return {
    content: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    calls: blocks.flatMap((block) => (block.type === 'tool_call' ? [callOf(block.call)] : [])),
    usage:
      usage === null
        ? null
        : {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_tokens: usage.cacheRead,
            cache_write_tokens: usage.cacheWrite,
          },
  }
}

/** The `response` of an `llm_call` that we recorded. */
function ownAnswer([body]: readonly JsonObject[]): ImportedAnswer | null {
  if (body === undefined || typeof body.text !== 'string') return null
  const calls = objectsOf(body.tool_calls).map(callOf)
  return { content: body.text, calls, usage: usageOf(body.usage) }
}

function callOf(call: JsonObject | LlmToolCall): ToolCall {
  // `Json` has `bigint` too, which parsed text never has.
  return {
    id: textOf(call.id) ?? '',
    name: textOf(call.name) ?? '',
    arguments: (call.arguments ?? {}) as JsonValue,
  }
}

/** The `usage` of an `llm_call`, ours or of another recorder. */
export function usageOf(value: unknown): ImportedAnswer['usage'] {
  if (!isObject(value)) return null
  return {
    input_tokens:
      numberOf(value.input_tokens) ?? numberOf(value.prompt_tokens) ?? numberOf(value.promptTokenCount) ?? 0,
    output_tokens:
      numberOf(value.output_tokens) ??
      numberOf(value.completion_tokens) ??
      numberOf(value.candidatesTokenCount) ??
      0,
    cache_read_tokens: numberOf(value.cache_read_tokens) ?? numberOf(value.cache_read_input_tokens) ?? 0,
    cache_write_tokens:
      numberOf(value.cache_write_tokens) ?? numberOf(value.cache_creation_input_tokens) ?? 0,
  }
}
