/**
 * Anthropic's messages API, also behind Vertex AI (`:rawPredict`) and Bedrock (`/invoke`), whole and as its stream of content blocks.
 */
import { fieldsOf, isObject, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, type LlmApi, NO_THINKING } from './api.ts'

export const anthropicMessages: LlmApi = {
  name: 'anthropic-messages',
  provider: 'anthropic',
  recognises: (path, body) =>
    Array.isArray(body.messages) &&
    ((path.endsWith('/messages') && 'max_tokens' in body) ||
      (/(?:\/invoke(?:-with-response-stream)?|:(?:streamRawPredict|rawPredict))$/.test(path) &&
        'anthropic_version' in body)),
  answers: (document) =>
    (document.type === 'message' && Array.isArray(document.content)) || document.type === 'message_start',
  model: (path, body) =>
    textOf(body.model) ?? /\/models?\/([^/]+)(?::\w*[pP]redict|\/invoke[\w-]*)$/.exec(path)?.[1] ?? null,
  read: readMessages,
  surface: messagesSurface,
}

function readMessages(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const document of documents) {
    const key = `block ${numberOf(document.index) ?? 0}`
    switch (document.type) {
      case 'message':
        readHead(answer, document)
        objectsOf(document.content).forEach((block, at) => {
          readBlock(answer, block, `block ${at}`)
        })
        answer.complete = true
        break
      case 'message_start':
        readHead(answer, fieldsOf(document.message))
        break
      case 'content_block_start':
        readBlock(answer, fieldsOf(document.content_block), key)
        break
      case 'content_block_delta': {
        const delta = fieldsOf(document.delta)
        answer.text('text', textOf(delta.text), key)
        answer.text('thinking', textOf(delta.thinking), key)
        if (typeof delta.partial_json === 'string') answer.toolCall({ json: delta.partial_json }, key)
        break
      }
      case 'message_delta':
        answer.stopReason = textOf(fieldsOf(document.delta).stop_reason) ?? answer.stopReason
        readUsage(answer, fieldsOf(document.usage))
        break
      case 'message_stop':
        answer.complete = true
        break
      default:
        answer.error = errorObject(document.error) ?? answer.error
    }
  }
  return answer.done()
}

function readHead(answer: AnswerBuilder, message: JsonObject): void {
  answer.model = textOf(message.model) ?? answer.model
  answer.stopReason = textOf(message.stop_reason) ?? answer.stopReason
  readUsage(answer, fieldsOf(message.usage))
}

function readBlock(answer: AnswerBuilder, block: JsonObject, key: string): void {
  if (block.type === 'text') answer.text('text', textOf(block.text), key)
  if (block.type === 'thinking') answer.text('thinking', textOf(block.thinking), key)
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    answer.toolCall({ id: textOf(block.id), name: textOf(block.name), given: block.input ?? {} }, key)
  }
}

function readUsage(answer: AnswerBuilder, usage: JsonObject): void {
  answer.usage({
    input: numberOf(usage.input_tokens),
    output: numberOf(usage.output_tokens),
    cacheRead: numberOf(usage.cache_read_input_tokens),
    cacheWrite: numberOf(usage.cache_creation_input_tokens),
  })
}

function messagesSurface(body: JsonObject): DigestSurface {
  const thinking = fieldsOf(body.thinking)
  const { type, ...rest } = thinking
  return {
    messages: body.messages ?? null,
    system: body.system ?? null,
    tools: body.tools ?? null,
    tool_choice: body.tool_choice ?? null,
    thinking: isObject(body.thinking) && type !== undefined ? { mode: type, ...rest } : NO_THINKING,
  }
}
