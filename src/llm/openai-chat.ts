/**
 * Chat completions: OpenAI's own, and every host that speaks the same (Azure, vLLM, Groq, OpenRouter,
 * llama.cpp, …).
 */
import {
  fieldsOf,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  numberOf,
  objectsOf,
  textOf,
  withoutFirst,
} from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, given, type LlmApi, NO_THINKING } from './api.ts'

export const openaiChat: LlmApi = {
  name: 'openai-chat',
  provider: 'openai',
  recognises: (path, body) => path.endsWith('/chat/completions') && Array.isArray(body.messages),
  answers: (document) =>
    Array.isArray(document.choices) && (textOf(document.object)?.startsWith('chat.completion') ?? true),
  model: (path, body) => textOf(body.model) ?? /\/deployments\/([^/]+)\//.exec(path)?.[1] ?? null,
  read: readChat,
  surface: chatSurface,
}

/**
 * An answer has one document per token. So it looks only at members that a document has, which most of a stream do
 * not.
 */
function readChat(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const document of documents) {
    if (typeof document.model === 'string') answer.model = document.model
    if (isGiven(document.error)) answer.error = errorObject(document.error) ?? answer.error
    if (isObject(document.usage)) readUsage(answer, document.usage)
    // The raw response contains all choices; the record stores the first.
    for (const choice of listOf(document.choices))
      if (isObject(choice) && (numberOf(choice.index) ?? 0) === 0) readChoice(answer, choice)
  }
  return answer.done()
}

function readChoice(answer: AnswerBuilder, choice: JsonObject): void {
  readMessage(answer, fieldsOf(isObject(choice.delta) ? choice.delta : choice.message))
  if (isObject(choice.logprobs)) answer.logprobs.push(...listOf(choice.logprobs.content))
  if (typeof choice.finish_reason !== 'string') return
  answer.stopReason = choice.finish_reason
  answer.complete = true
}

function readMessage(answer: AnswerBuilder, message: JsonObject): void {
  answer.text('thinking', textOf(message.reasoning_content) ?? textOf(message.reasoning))
  answer.text('text', textOf(message.content) ?? textOf(message.refusal))
  if (isGiven(message.tool_calls)) readToolCalls(answer, message.tool_calls)
  if (isObject(message.function_call)) {
    answer.toolCall(
      { name: textOf(message.function_call.name), json: textOf(message.function_call.arguments) },
      'function',
    )
  }
}

function readToolCalls(answer: AnswerBuilder, calls: Json): void {
  objectsOf(calls).forEach((call, at) => {
    const asked = fieldsOf(call.function)
    // Some servers send the arguments as an object and not as its text.
    const given = isObject(asked.arguments) ? { given: asked.arguments } : { json: textOf(asked.arguments) }
    answer.toolCall(
      { id: textOf(call.id), name: textOf(asked.name), ...given },
      `tool ${numberOf(call.index) ?? at}`,
    )
  })
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null
}

function readUsage(answer: AnswerBuilder, usage: JsonObject): void {
  answer.usage({
    input: numberOf(usage.prompt_tokens),
    output: numberOf(usage.completion_tokens),
    cacheRead:
      numberOf(fieldsOf(usage.prompt_tokens_details).cached_tokens) ??
      numberOf(usage.prompt_cache_hit_tokens),
  })
}

/** A system message that leads the conversation is its `system`; upstream sends it so and keeps it apart. */
function chatSurface(body: JsonObject): DigestSurface {
  const messages = listOf(body.messages)
  const first = fieldsOf(messages[0])
  const leads = first.role === 'system' || first.role === 'developer'
  const format = fieldsOf(body.response_format)
  return {
    messages: leads ? withoutFirst(messages) : messages,
    system: leads ? (first.content ?? null) : null,
    tools: body.tools ?? body.functions ?? null,
    tool_choice: body.tool_choice ?? body.function_call ?? null,
    thinking: effort(body.reasoning_effort),
    more: {
      ...given(body, ['store']),
      ...(isObject(body.response_format) && format.type !== 'text' ? { output_format: format } : {}),
    },
  }
}

export function effort(level: Json | undefined): Json {
  return typeof level === 'string' ? { mode: 'effort', level } : NO_THINKING
}
