/**
 * Gemini's `generateContent` and `streamGenerateContent`, of the Gemini API and of Vertex AI; streams are
 * events, or one list of answers.
 */
import { fieldsOf, isObject, type JsonObject, numberOf, objectsOf, textOf } from '../base/index.ts'
import { AnswerBuilder, errorObject, type LlmAnswer } from './answer.ts'
import { type DigestSurface, type LlmApi, NO_THINKING } from './api.ts'

export const gemini: LlmApi = {
  name: 'gemini',
  provider: 'gemini',
  recognises: (path, body) => /:(generateContent|streamGenerateContent)$/.test(path) && 'contents' in body,
  answers: (document) => Array.isArray(document.candidates) && !('choices' in document),
  model: (path) => /([^/]+):(?:streamGenerateContent|generateContent)$/.exec(path)?.[1] ?? null,
  read: readGemini,
  surface: geminiSurface,
}

function readGemini(documents: readonly JsonObject[]): LlmAnswer {
  const answer = new AnswerBuilder()
  for (const document of documents) {
    answer.model = textOf(document.modelVersion) ?? answer.model
    answer.error = errorObject(document.error) ?? answer.error
    readUsage(answer, fieldsOf(document.usageMetadata))
    const blocked = textOf(fieldsOf(document.promptFeedback).blockReason)
    const candidate = objectsOf(document.candidates).find((each) => (numberOf(each.index) ?? 0) === 0)
    for (const part of objectsOf(fieldsOf(candidate?.content).parts)) {
      answer.text(part.thought === true ? 'thinking' : 'text', textOf(part.text))
      const call = fieldsOf(part.functionCall)
      if (isObject(part.functionCall))
        answer.toolCall({ id: textOf(call.id), name: textOf(call.name), given: call.args ?? {} })
    }
    const reason = textOf(candidate?.finishReason) ?? blocked
    if (reason !== null) {
      answer.stopReason = reason
      answer.complete = true
    }
  }
  return answer.done()
}

/** Thinking is counted apart and paid as output. */
function readUsage(answer: AnswerBuilder, usage: JsonObject): void {
  const [candidates, thoughts] = [numberOf(usage.candidatesTokenCount), numberOf(usage.thoughtsTokenCount)]
  answer.usage({
    input: numberOf(usage.promptTokenCount),
    output: candidates === null && thoughts === null ? null : (candidates ?? 0) + (thoughts ?? 0),
    cacheRead: numberOf(usage.cachedContentTokenCount),
  })
}

function geminiSurface(body: JsonObject): DigestSurface {
  const config = fieldsOf(body.generationConfig)
  const thinking = fieldsOf(config.thinkingConfig)
  const format = config.responseSchema ?? config.responseJsonSchema
  return {
    messages: body.contents ?? null,
    system: body.systemInstruction ?? body.system_instruction ?? null,
    tools: body.tools ?? null,
    tool_choice: body.toolConfig ?? body.tool_config ?? null,
    thinking: isObject(config.thinkingConfig) ? { mode: 'enabled', ...thinking } : NO_THINKING,
    ...(format === undefined || format === null
      ? {}
      : { more: { output_format: { kind: 'json_schema', schema: format } } }),
  }
}
