/**
 * What each API of a model is to the recorder: how its calls look, how its answers are read, and what of its
 * request counts for the digest.
 */
import type { Json, JsonObject } from '../base/index.ts'
import type { LlmAnswer } from './answer.ts'

export type LlmApi = {
  readonly name:
    | 'openai-chat'
    | 'openai-responses'
    | 'anthropic-messages'
    | 'gemini'
    | 'ollama'
    | 'bedrock-converse'
  /** The provider that this shape is named after; a host that is known by another name goes before it. */
  readonly provider: string
  /**
   * True for a request of this shape: by the end of its path and the members of its body, never by its host.
   */
  recognises(path: string, body: JsonObject): boolean
  /** True for an answer of this shape, for a request whose path does not decide it. */
  answers(document: JsonObject): boolean
  /** The requested model. */
  model(path: string, body: JsonObject): string | null
  /** `documents` is one for a whole answer, one per event for a stream. */
  read(documents: readonly JsonObject[]): LlmAnswer
  surface(body: JsonObject): DigestSurface
}

/**
 * The members of a request that its digest is made of; what is absent is null, and the last ones are left
 * out.
 */
export type DigestSurface = {
  readonly messages: Json
  readonly system: Json
  readonly tools: Json
  readonly tool_choice: Json
  readonly thinking: Json
  /** Members that count only when they are not the default. */
  readonly more?: JsonObject
}

/** The value for "no thinking was requested". */
export const NO_THINKING: Json = { mode: 'disabled' }

/** The members of that name which are there and not null. */
export function given(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]])),
  )
}
