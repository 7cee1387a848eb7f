/**
 * The body with which an API of a model would have given a recorded answer: whole, or as the stream that the
 * request wants. It contains only what the record has; ids and times are made from the record's place.
 *
 * Does not give logprobs, citations, images, or the signature of a thinking block: an `llm_call` does not
 * have them.
 */
import { type Json, type JsonObject, unreachable } from '../base/index.ts'
import type { LlmApi } from './api.ts'
import { converseAnswer } from './bedrock-converse.ts'
import { argumentsText, type RecordedAnswer } from './recorded-answer.ts'

export type AnswerBody = { readonly contentType: string; readonly text: string }

export type AskedFor = {
  readonly api: LlmApi['name']
  readonly path: string
  /** Gemini's `alt=sse`; without it a stream is one list. */
  readonly wantsEvents: boolean
  readonly body: JsonObject
  /** Of the record: its number and its UNIX time. */
  readonly seq: number
  readonly atMs: number
}

export function answerBody(answer: RecordedAnswer, asked: AskedFor): AnswerBody {
  switch (asked.api) {
    case 'openai-chat':
      return asked.body.stream === true
        ? events(chatStream(answer, asked), '[DONE]')
        : whole(chat(answer, asked))
    case 'openai-responses':
      return asked.body.stream === true
        ? typedEvents(responsesStream(answer, asked))
        : whole(responses(answer, asked))
    case 'anthropic-messages':
      return asked.body.stream === true || /:streamRawPredict$/.test(asked.path)
        ? typedEvents(messagesStream(answer, asked))
        : whole(messages(answer, asked))
    case 'gemini':
      if (!asked.path.endsWith(':streamGenerateContent')) return whole(gemini(answer))
      return asked.wantsEvents ? events([gemini(answer)], null) : whole([gemini(answer)])
    case 'ollama':
      return asked.body.stream === false
        ? whole(ollama(answer, asked, true))
        : lines(ollamaStream(answer, asked))
    // A stream of Bedrock is binary: its client reads no text.
    case 'bedrock-converse':
      return whole(converseAnswer(answer))
    default:
      return unreachable(asked.api)
  }
}

function whole(value: Json): AnswerBody {
  return { contentType: 'application/json', text: JSON.stringify(value) }
}

function lines(values: readonly Json[]): AnswerBody {
  return {
    contentType: 'application/x-ndjson',
    text: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
  }
}

function events(values: readonly Json[], last: string | null): AnswerBody {
  const texts = [...values.map((value) => JSON.stringify(value)), ...(last === null ? [] : [last])]
  return { contentType: 'text/event-stream', text: texts.map((text) => `data: ${text}\n\n`).join('') }
}

function typedEvents(values: readonly (JsonObject & { readonly type: string })[]): AnswerBody {
  const text = values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join('')
  return { contentType: 'text/event-stream', text }
}

function seconds({ atMs }: AskedFor): number {
  return Math.trunc(atMs / 1000)
}

// OpenAI, chat completions.

function chat(answer: RecordedAnswer, asked: AskedFor): JsonObject {
  const { text, thinking, calls } = answer
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thinking === null ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: chatCalls(answer) }),
  }
  return {
    ...chatHead(answer, asked, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: chatReason(answer) }],
    usage: chatUsage(answer),
  }
}

function chatStream(answer: RecordedAnswer, asked: AskedFor): JsonObject[] {
  const head = chatHead(answer, asked, 'chat.completion.chunk')
  const delta = (change: JsonObject, reason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta: change, logprobs: null, finish_reason: reason }],
  })
  const calls = chatCalls(answer).map((call, index) => ({ index, ...call }))
  return [
    delta({ role: 'assistant', content: '' }),
    ...(answer.thinking === null ? [] : [delta({ reasoning_content: answer.thinking })]),
    ...(answer.text === '' ? [] : [delta({ content: answer.text })]),
    ...(calls.length === 0 ? [] : [delta({ tool_calls: calls })]),
    delta({}, chatReason(answer)),
    { ...head, choices: [], usage: chatUsage(answer) },
  ]
}

function chatHead({ model }: RecordedAnswer, asked: AskedFor, object: string): JsonObject {
  return { id: `chatcmpl-${asked.seq}`, object, created: seconds(asked), model: model ?? '' }
}

function chatCalls(answer: RecordedAnswer): JsonObject[] {
  return answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }))
}

function chatReason({ stopReason, calls }: RecordedAnswer): string {
  return stopReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')
}

function chatUsage({ inputTokens, outputTokens, cacheReadTokens }: RecordedAnswer): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  }
}

// OpenAI, responses.

function responses(answer: RecordedAnswer, asked: AskedFor): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, model } = answer
  return {
    id: `resp_${asked.seq}`,
    object: 'response',
    created_at: seconds(asked),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: model ?? '',
    output: responsesItems(answer, asked),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: cacheReadTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  }
}

function responsesItems(answer: RecordedAnswer, { seq }: AskedFor): JsonObject[] {
  const { text, thinking, calls } = answer
  const content = [{ type: 'output_text', text, annotations: [] }]
  const reasoning = {
    id: `rs_${seq}`,
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: thinking }],
  }
  return [
    ...(thinking === null ? [] : [reasoning]),
    ...(text === '' && calls.length > 0
      ? []
      : [{ id: `msg_${seq}`, type: 'message', status: 'completed', role: 'assistant', content }]),
    ...calls.map((call, at) => ({
      id: `fc_${seq}_${at}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: argumentsText(call),
    })),
  ]
}

function responsesStream(answer: RecordedAnswer, asked: AskedFor): (JsonObject & { type: string })[] {
  const response = responses(answer, asked)
  const items = responsesItems(answer, asked)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const inner = items.flatMap((item, index) => [
    { type: 'response.output_item.added', output_index: index, item: begunItem(item) },
    ...itemParts(item, index, answer),
    { type: 'response.output_item.done', output_index: index, item },
  ])
  const all = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...inner,
    { type: 'response.completed', response },
  ]
  return all.map((event, at) => ({ ...event, sequence_number: at }))
}

function begunItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    default:
      return item
  }
}

function itemParts(
  item: JsonObject,
  index: number,
  { text }: RecordedAnswer,
): (JsonObject & { type: string })[] {
  const place = { item_id: item.id ?? null, output_index: index }
  if (item.type === 'function_call') {
    const given = item.arguments ?? ''
    return [
      { type: 'response.function_call_arguments.delta', ...place, delta: given },
      { type: 'response.function_call_arguments.done', ...place, name: item.name ?? '', arguments: given },
    ]
  }
  if (item.type !== 'message') return []
  const part = { type: 'output_text', text, annotations: [] }
  const inPart = { ...place, content_index: 0 }
  return [
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...inPart, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...inPart, text, logprobs: [] },
    { type: 'response.content_part.done', ...inPart, part },
  ]
}

// Anthropic, messages.

function messages(answer: RecordedAnswer, asked: AskedFor): JsonObject {
  return {
    id: `msg_${asked.seq}`,
    type: 'message',
    role: 'assistant',
    model: answer.model ?? '',
    content: messageBlocks(answer),
    stop_reason: messageReason(answer),
    stop_sequence: null,
    usage: messageUsage(answer),
  }
}

function messageBlocks({ text, thinking, calls }: RecordedAnswer): JsonObject[] {
  return [
    ...(thinking === null ? [] : [{ type: 'thinking', thinking, signature: '' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments })),
  ]
}

function messageReason({ stopReason, calls }: RecordedAnswer): string {
  return stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
}

function messageUsage(answer: RecordedAnswer): JsonObject {
  return {
    input_tokens: answer.inputTokens,
    cache_creation_input_tokens: answer.cacheWriteTokens,
    cache_read_input_tokens: answer.cacheReadTokens,
    output_tokens: answer.outputTokens,
  }
}

function messagesStream(answer: RecordedAnswer, asked: AskedFor): (JsonObject & { type: string })[] {
  const message = { ...messages(answer, asked), content: [], stop_reason: null }
  const blocks = messageBlocks(answer).flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: begunBlock(block) },
    { type: 'content_block_delta', index, delta: blockDelta(block) },
    { type: 'content_block_stop', index },
  ])
  const delta = { stop_reason: messageReason(answer), stop_sequence: null }
  return [
    { type: 'message_start', message },
    ...blocks,
    { type: 'message_delta', delta, usage: messageUsage(answer) },
    { type: 'message_stop' },
  ]
}

function begunBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' }
    case 'thinking':
      return { ...block, thinking: '' }
    default:
      return { ...block, input: {} }
  }
}

function blockDelta(block: JsonObject): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text: block.text ?? '' }
    case 'thinking':
      return { type: 'thinking_delta', thinking: block.thinking ?? '' }
    default:
      return { type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }
  }
}

// Gemini.

function gemini(answer: RecordedAnswer): JsonObject {
  const { text, thinking, calls, inputTokens, outputTokens, cacheReadTokens, model } = answer
  const parts = [
    ...(thinking === null ? [] : [{ text: thinking, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: call.arguments } })),
  ]
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: answer.stopReason ?? 'STOP' }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      cachedContentTokenCount: cacheReadTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: model ?? '',
  }
}

// Ollama.

function ollama(answer: RecordedAnswer, asked: AskedFor, isLast: boolean): JsonObject {
  const { text, thinking, calls, model, stopReason, inputTokens, outputTokens } = answer
  const given = thinking === null ? {} : { thinking }
  const tools = calls.map((call) => ({
    id: call.id,
    function: { name: call.name, arguments: call.arguments },
  }))
  const message = {
    role: 'assistant',
    content: text,
    ...given,
    ...(tools.length === 0 ? {} : { tool_calls: tools }),
  }
  const end = { done_reason: stopReason ?? 'stop', prompt_eval_count: inputTokens, eval_count: outputTokens }
  return {
    model: model ?? '',
    created_at: new Date(asked.atMs).toISOString(),
    ...(asked.path.endsWith('/api/generate') ? { response: text, ...given } : { message }),
    done: isLast,
    ...(isLast ? end : {}),
  }
}

function ollamaStream(answer: RecordedAnswer, asked: AskedFor): JsonObject[] {
  const nothing = { ...answer, text: '', thinking: null, calls: [] }
  return [ollama(answer, asked, false), ollama(nothing, asked, true)]
}
