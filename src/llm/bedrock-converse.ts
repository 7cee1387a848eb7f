/** The Converse API of Amazon Bedrock, whole and as its stream of events. */
import { fieldsOf, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, given, type LlmApi, NO_THINKING } from './api.ts'
import type { RecordedAnswer } from './recorded-answer.ts'

const PATH = /\/model\/([^/]+)\/converse(?:-stream)?$/

export const bedrockConverse: LlmApi = {
  name: 'bedrock-converse',
  provider: 'bedrock',
  recognises: (path, body) => PATH.test(path) && Array.isArray(body.messages),
  answers: (document) => 'messageStart' in document || 'stopReason' in document,
  model: (path) => modelIn(path),
  read: readConverse,
  surface: converseSurface,
}

function modelIn(path: string): string | null {
  const name = PATH.exec(path)?.[1]
  if (name === undefined) return null
  return /%[0-9a-f]{2}/i.test(name) ? name.replace(/%3a/gi, ':').replace(/%2f/gi, '/') : name
}

function readConverse(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const document of documents) {
    const { contentBlockStart, contentBlockDelta, messageStop, metadata, output } = document
    if (output !== undefined) readWhole(answer, document)
    if (contentBlockStart !== undefined) readStart(answer, fieldsOf(contentBlockStart))
    if (contentBlockDelta !== undefined) readDelta(answer, fieldsOf(contentBlockDelta))
    if (messageStop !== undefined) {
      answer.stopReason = textOf(fieldsOf(messageStop).stopReason) ?? answer.stopReason
      answer.complete = true
    }
    if (metadata !== undefined) readUsage(answer, fieldsOf(fieldsOf(metadata).usage))
    answer.error = errorObject(document.error) ?? answer.error
    if (output === undefined && typeof document.message === 'string')
      answer.error = { message: document.message }
  }
  return answer.done()
}

function readWhole(answer: AnswerBuilder, document: JsonObject): void {
  const message = fieldsOf(fieldsOf(document.output).message)
  objectsOf(message.content).forEach((block, at) => {
    const key = `block ${at}`
    answer.text('text', textOf(block.text), key)
    answer.text('thinking', textOf(fieldsOf(fieldsOf(block.reasoningContent).reasoningText).text), key)
    if (block.toolUse === undefined) return
    const { toolUseId, name, input = {} } = fieldsOf(block.toolUse)
    answer.toolCall({ id: textOf(toolUseId), name: textOf(name), given: input }, key)
  })
  answer.stopReason = textOf(document.stopReason) ?? answer.stopReason
  readUsage(answer, fieldsOf(document.usage))
  answer.complete = true
}

/** A recorded answer, as the whole answer of the API. */
export function converseAnswer(answer: RecordedAnswer): JsonObject {
  const { text, calls, stopReason, inputTokens, outputTokens } = answer
  const tools = calls.map(({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } }))
  return {
    output: { message: { role: 'assistant', content: [...(text === '' ? [] : [{ text }]), ...tools] } },
    stopReason: stopReason ?? 'end_turn',
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  }
}

function readStart(answer: AnswerBuilder, event: JsonObject): void {
  const { toolUse } = fieldsOf(event.start)
  if (toolUse === undefined) return
  const { toolUseId, name } = fieldsOf(toolUse)
  answer.toolCall({ id: textOf(toolUseId), name: textOf(name) }, keyOf(event))
}

function readDelta(answer: AnswerBuilder, event: JsonObject): void {
  const { text, toolUse, reasoningContent } = fieldsOf(event.delta)
  answer.text('text', textOf(text), keyOf(event))
  answer.text('thinking', textOf(fieldsOf(reasoningContent).text), keyOf(event))
  if (toolUse !== undefined) answer.toolCall({ json: textOf(fieldsOf(toolUse).input) }, keyOf(event))
}

function keyOf(event: JsonObject): string {
  return `block ${numberOf(event.contentBlockIndex) ?? 0}`
}

function readUsage(answer: AnswerBuilder, usage: JsonObject): void {
  answer.usage({
    input: numberOf(usage.inputTokens),
    output: numberOf(usage.outputTokens),
    cacheRead: numberOf(usage.cacheReadInputTokens),
    cacheWrite: numberOf(usage.cacheWriteInputTokens),
  })
}

function converseSurface(body: JsonObject): DigestSurface {
  const tools = fieldsOf(body.toolConfig)
  return {
    messages: body.messages ?? null,
    system: body.system ?? null,
    tools: tools.tools ?? null,
    tool_choice: tools.toolChoice ?? null,
    thinking: NO_THINKING,
    more: given(body, ['additionalModelRequestFields', 'guardrailConfig', 'inferenceConfig']),
  }
}
