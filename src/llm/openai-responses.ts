/** OpenAI's responses API, whole and as its stream of typed events. */
import { fieldsOf, isObject, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, given, type LlmApi } from './api.ts'
import { effort } from './openai-chat.ts'

export const openaiResponses: LlmApi = {
  name: 'openai-responses',
  provider: 'openai',
  recognises: (path, body) =>
    path.endsWith('/responses') &&
    ['input', 'prompt', 'previous_response_id', 'conversation'].some((name) => name in body),
  answers: (document) =>
    document.object === 'response' || (textOf(document.type)?.startsWith('response.') ?? false),
  model: (_path, body) => textOf(body.model),
  read: readResponses,
  surface: responsesSurface,
}

function readResponses(documents: readonly JsonObject[]): LlmAnswer {
  // The last event repeats the whole answer; without it (a cut stream) the parts have to do.
  const ended = documents.findLast((document) =>
    /^response\.(completed|incomplete|failed)$/.test(textOf(document.type) ?? ''),
  )
  const whole =
    ended === undefined
      ? documents.find((document) => Array.isArray(document.output))
      : fieldsOf(ended.response)
  return whole === undefined ? readParts(documents) : readWhole(whole)
}

function readWhole(response: JsonObject): LlmAnswer {
  const answer = new AnswerBuilder()
  readHead(answer, response)
  objectsOf(response.output).forEach((item, at) => {
    for (const part of objectsOf(item.summary)) answer.summary(textOf(part.text))
    for (const part of objectsOf(item.content)) {
      answer.text(
        item.type === 'reasoning' ? 'thinking' : 'text',
        textOf(part.text) ?? textOf(part.refusal),
        `item ${at}`,
      )
    }
    if (isCall(item))
      answer.toolCall({
        id: textOf(item.call_id) ?? textOf(item.id),
        name: textOf(item.name),
        ...argumentsOf(item),
      })
  })
  answer.complete = response.status !== 'in_progress'
  return answer.done()
}

function readParts(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const event of documents) {
    const key = `item ${numberOf(event.output_index) ?? 0}`
    const item = fieldsOf(event.item)
    if (isObject(event.response)) readHead(answer, event.response)
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        answer.text('text', textOf(event.delta), key)
        break
      case 'response.reasoning_summary_text.delta':
        answer.summary(textOf(event.delta))
        break
      case 'response.reasoning_text.delta':
        answer.text('thinking', textOf(event.delta), key)
        break
      case 'response.output_item.added':
        if (isCall(item))
          answer.toolCall({ id: textOf(item.call_id) ?? textOf(item.id), name: textOf(item.name) }, key)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        answer.toolCall({ json: textOf(event.delta) }, key)
        break
      case 'error':
        answer.error = errorObject(event.error) ?? {
          message: event.message ?? null,
          code: event.code ?? null,
        }
        break
    }
    if (event.type === undefined) answer.error = errorObject(event.error) ?? answer.error
  }
  return answer.done()
}

function readHead(answer: AnswerBuilder, response: JsonObject): void {
  const usage = fieldsOf(response.usage)
  answer.model = textOf(response.model) ?? answer.model
  answer.error = errorObject(response.error) ?? answer.error
  const status = textOf(response.status)
  if (status !== null && status !== 'in_progress' && status !== 'queued') {
    answer.stopReason = textOf(fieldsOf(response.incomplete_details).reason) ?? status
  }
  answer.usage({
    input: numberOf(usage.input_tokens),
    output: numberOf(usage.output_tokens),
    cacheRead: numberOf(fieldsOf(usage.input_tokens_details).cached_tokens),
  })
}

function isCall(item: JsonObject): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

function argumentsOf(item: JsonObject): { readonly json: string | null } {
  return { json: textOf(item.arguments) ?? textOf(item.input) }
}

function responsesSurface(body: JsonObject): DigestSurface {
  const format = fieldsOf(fieldsOf(body.text).format)
  const names = ['previous_response_id', 'store', 'background', 'truncation', 'include', 'max_tool_calls']
  return {
    messages: body.input ?? null,
    system: body.instructions ?? null,
    tools: body.tools ?? null,
    tool_choice: body.tool_choice ?? null,
    thinking: effort(fieldsOf(body.reasoning).effort),
    more: {
      api_mode: 'responses',
      ...given(body, names),
      ...('type' in format && format.type !== 'text' ? { output_format: format } : {}),
    },
  }
}
