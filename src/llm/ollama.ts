/** Ollama's own API, `/api/chat` and `/api/generate`: one object, or one per line. */
import { fieldsOf, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, type LlmApi, NO_THINKING } from './api.ts'

export const ollama: LlmApi = {
  name: 'ollama',
  provider: 'ollama',
  recognises: (path, body) =>
    typeof body.model === 'string' &&
    ((path.endsWith('/api/chat') && Array.isArray(body.messages)) ||
      (path.endsWith('/api/generate') && 'prompt' in body)),
  answers: (document) =>
    typeof document.done === 'boolean' && ('message' in document || 'response' in document),
  model: (_path, body) => textOf(body.model),
  read: readOllama,
  surface: ollamaSurface,
}

function readOllama(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const document of documents) {
    const message = fieldsOf(document.message)
    answer.model = textOf(document.model) ?? answer.model
    answer.error = errorObject(document.error) ?? answer.error
    answer.text('thinking', textOf(message.thinking) ?? textOf(document.thinking))
    answer.text('text', textOf(message.content) ?? textOf(document.response))
    for (const call of objectsOf(message.tool_calls)) {
      const asked = fieldsOf(call.function)
      answer.toolCall({ id: textOf(call.id), name: textOf(asked.name), given: asked.arguments ?? {} })
    }
    answer.usage({ input: numberOf(document.prompt_eval_count), output: numberOf(document.eval_count) })
    if (document.done !== true) continue
    answer.stopReason = textOf(document.done_reason) ?? answer.stopReason
    answer.complete = true
  }
  return answer.done()
}

function ollamaSurface(body: JsonObject): DigestSurface {
  const messages = body.messages ?? [{ role: 'user', content: body.prompt ?? '' }]
  const { think, format } = body
  return {
    messages,
    system: body.system ?? null,
    tools: body.tools ?? null,
    tool_choice: null,
    thinking:
      typeof think === 'string'
        ? { mode: 'effort', level: think }
        : think === true
          ? { mode: 'enabled' }
          : NO_THINKING,
    ...(format === undefined || format === null || format === '' ? {} : { more: { output_format: format } }),
  }
}
