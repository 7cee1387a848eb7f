/**
 * OpenAI's realtime API: a session over a WebSocket, in which each `response.create` is a call. What is spoken is
 * read from its transcript.
 */
import { fieldsOf, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { given, type LlmApi, NO_THINKING } from './api.ts'
import { openaiResponses } from './openai-responses.ts'

export const openaiRealtime: LlmApi = {
  ...openaiResponses,
  recognises: () => false,
  answers: () => false,
  read: readRealtime,
  surface: (body) => ({
    messages: body.input ?? null,
    system: body.instructions ?? null,
    tools: body.tools ?? null,
    tool_choice: body.tool_choice ?? null,
    thinking: NO_THINKING,
    more: { api_mode: 'realtime', ...given(body, ['conversation', 'output_modalities', 'modalities']) },
  }),
}

function readRealtime(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  const ended = documents.findLast(({ type }) => type === 'response.done')
  if (ended === undefined) readParts(answer, documents)
  else readWhole(answer, fieldsOf(ended.response))
  return answer.done()
}

function readWhole(answer: AnswerBuilder, response: JsonObject): void {
  objectsOf(response.output).forEach((item, at) => {
    for (const part of objectsOf(item.content))
      answer.text('text', textOf(part.text) ?? textOf(part.transcript), `item ${at}`)
    if (item.type === 'function_call')
      answer.toolCall({
        id: textOf(item.call_id) ?? textOf(item.id),
        name: textOf(item.name),
        json: textOf(item.arguments),
      })
  })
  const [usage, details] = [fieldsOf(response.usage), fieldsOf(response.status_details)]
  const status = textOf(response.status)
  answer.stopReason = textOf(details.reason) ?? status
  answer.error = status === 'failed' ? (errorObject(details.error) ?? { message: 'failed' }) : null
  answer.complete = true
  answer.usage({
    input: numberOf(usage.input_tokens),
    output: numberOf(usage.output_tokens),
    cacheRead: numberOf(fieldsOf(usage.input_token_details).cached_tokens),
  })
}

/** A response that was cut: what came of it. */
function readParts(answer: AnswerBuilder, documents: readonly JsonObject[]): void {
  for (const event of documents) {
    const key = `item ${numberOf(event.output_index) ?? 0}`
    const item = fieldsOf(event.item)
    switch (event.type) {
      case 'response.text.delta':
      case 'response.output_text.delta':
      case 'response.audio_transcript.delta':
      case 'response.output_audio_transcript.delta':
        answer.text('text', textOf(event.delta), key)
        break
      case 'response.output_item.added':
        if (item.type === 'function_call')
          answer.toolCall({ id: textOf(item.call_id) ?? textOf(item.id), name: textOf(item.name) }, key)
        break
      case 'response.function_call_arguments.delta':
        answer.toolCall({ json: textOf(event.delta) }, key)
        break
      case 'error':
        answer.error = errorObject(event.error)
        break
    }
  }
}
