/**
 * The surface of a request in upstream's own form, whatever API it is for: messages as role and text, the
 * system prompt as text. Upstream makes its digest before it knows the API. A request of another API with the
 * same content has the same digest in this form only.
 */
import { fieldsOf, isObject, type Json, type JsonObject, objectsOf, textOf } from '../base/index.ts'
import type { DigestSurface } from './api.ts'

export function plainSurface(surface: DigestSurface): DigestSurface {
  const { messages, system, tools, tool_choice, thinking } = surface
  return { messages: plainMessages(messages), system: plainText(system), tools, tool_choice, thinking }
}

function plainMessages(messages: Json): Json {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }]
  return objectsOf(messages).map((message) => ({
    role: message.role === 'model' ? 'assistant' : (message.role ?? 'user'),
    content: plainText(message.content ?? message.parts ?? null),
  }))
}

/** Parts that are all text count as that text; others stay as they are. */
function plainText(value: Json): Json {
  if (isObject(value) && Array.isArray(value.parts)) return plainText(value.parts)
  if (!Array.isArray(value)) return value
  const texts = value.map((part: Json) =>
    isObject(part) && isText(part) ? textOf(fieldsOf(part).text) : null,
  )
  return texts.every((text) => text !== null) ? texts.join('') : value
}

function isText({ type }: JsonObject): boolean {
  return type === undefined || type === 'text' || type === 'input_text' || type === 'output_text'
}
