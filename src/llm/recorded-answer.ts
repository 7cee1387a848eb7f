/**
 * An answer as an `llm_call` of upstream's stores it, read for a client: what the model gave, in no API's
 * shape. Members that are missing have their defaults, because other systems write this object too.
 */
import { fieldsOf, type Json, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'

export type RecordedCall = { readonly id: string; readonly name: string; readonly arguments: Json }

export type RecordedAnswer = {
  readonly text: string
  readonly thinking: string | null
  readonly calls: readonly RecordedCall[]
  readonly model: string | null
  readonly stopReason: string | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

export function recordedAnswer(response: JsonObject): RecordedAnswer {
  return {
    text: textOf(response.text) ?? '',
    thinking: textOf(response.thinking),
    calls: objectsOf(response.tool_calls).map(callOf),
    model: textOf(response.model),
    stopReason: textOf(response.stop_reason),
    inputTokens: numberOf(response.input_tokens) ?? 0,
    outputTokens: numberOf(response.output_tokens) ?? 0,
    cacheReadTokens: numberOf(response.cache_read_tokens) ?? 0,
    cacheWriteTokens: numberOf(response.cache_write_tokens) ?? 0,
  }
}

function callOf(call: JsonObject, at: number): RecordedCall {
  const asked = 'function' in call ? fieldsOf(call.function) : call
  return {
    id: textOf(call.id) ?? `call_${at}`,
    name: textOf(asked.name) ?? '',
    arguments: asked.arguments ?? asked.input ?? {},
  }
}

/** The arguments of a call as the text that OpenAI's APIs have for them. */
export function argumentsText({ arguments: given }: RecordedCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given)
}
