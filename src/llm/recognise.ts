/**
 * Detects whether a request calls a model, and through which API, from its shape: method, end of the
 * path, members of the JSON body. Any host will do. A body that looks like a chat under a path of no API (a
 * gateway's own) is decided by the answer.
 *
 * Decision 0090.
 */
import { fieldsOf, isObject, type JsonObject } from '../base/index.ts'
import type { ScrubbedBytes } from '../scrub/index.ts'
import {
  parseScrubbed,
  type ScrubbedObject,
  type ScrubbedRead,
  scrubbedTextOrNull,
} from '../scrub/scrubbed-parts.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { LlmApi } from './api.ts'
import { bedrockConverse } from './bedrock-converse.ts'
import { gemini } from './gemini.ts'
import { ollama } from './ollama.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

export type RecognisedCall = {
  /** Null if only the response shows it. */
  readonly api: LlmApi | null
  readonly host: string
  readonly path: string
  readonly body: ScrubbedObject
  /** The body's text is what printing its value gives: it need not be kept as bytes. */
  readonly isCompact: boolean
}

const APIS: readonly LlmApi[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  ollama,
  bedrockConverse,
]

export function recogniseCall(request: {
  readonly method: string
  readonly url: string
  readonly body: ScrubbedBytes | null
  /** The body, if it has been read already. */
  readonly json?: ScrubbedRead | null
}): RecognisedCall | null {
  if (request.method !== 'POST' || request.body === null || request.body[0] !== OPEN_BRACE) return null
  const url = URL.canParse(request.url) ? new URL(request.url) : null
  if (url === null) return null
  const read = request.json ?? readBody(request.body)
  if (read === null) return null
  const body = read.value
  const path = decoded(url.pathname)
  const api = APIS.find((each) => each.recognises(path, body)) ?? null
  if (api === null && !looksLikeChat(body)) return null
  return { api, host: url.hostname, path, body, isCompact: read.isCompact }
}

function readBody(bytes: ScrubbedBytes): Pick<ScrubbedRead, 'value' | 'isCompact'> | null {
  const text = scrubbedTextOrNull(bytes)
  const value = text === null ? undefined : parseScrubbed(text)
  return isObject(value) ? { value, isCompact: JSON.stringify(value) === text } : null
}

/** The API that gives such an answer. */
export function apiOfAnswer(documents: readonly JsonObject[]): LlmApi | null {
  const first = documents[0]
  return first === undefined ? null : (APIS.find((each) => each.answers(first)) ?? null)
}

const OPEN_BRACE = 0x7b

function looksLikeChat(body: JsonObject): boolean {
  const { messages, model } = body
  return (
    typeof model === 'string' &&
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every((each) => typeof fieldsOf(each).role === 'string')
  )
}

/** Gemini's colon may come as `%3A`. */
function decoded(path: string): string {
  return path.replace(/%3a/gi, ':').replace(/\/+$/, '')
}
