/**
 * Follows WebSockets that carry calls of a model: OpenAI's responses over a WebSocket, and its realtime API.
 * Each `response.create` that the program sends is a call, and so is each response that a realtime server
 * starts on its own. A call writes an `llm_call` when its response ends; its messages stay on the connection
 * that it names.
 *
 * The request of a realtime call is made from what the program has sent before it: the session, and the items
 * of the conversation, as `input`. Speech of the user is included as its transcript, if the server sends one.
 *
 * Decision 0376.
 */
import { fieldsOf, isObject, type JsonObject, label, textOf } from '../../base/index.ts'
import type { LlmApi } from '../../llm/api.ts'
import { openaiRealtime } from '../../llm/openai-realtime.ts'
import { openaiResponses } from '../../llm/openai-responses.ts'
import type { RecognisedCall } from '../../llm/recognise.ts'
import type { ScrubbedBytes, ScrubbedJson, Scrubber } from '../../scrub/index.ts'
import { parseScrubbed, type ScrubbedObject, scrubbedTextOrNull } from '../../scrub/scrubbed-parts.ts'
import type { TapeRecorder } from '../../tape/index.ts'
import type { Ending } from '../records/call-follower.ts'
import { MAX_ANSWER_BYTES } from '../records/decoded-body.ts'
import { KnownParts, type RequestParts, requestParts } from './request-ledger.ts'
import { createCallWriter, type EndedCall } from './write-call.ts'

export type SocketCalls = {
  /** Text messages, in their order. */
  sent(bytes: ScrubbedBytes): void
  received(bytes: ScrubbedBytes): void
  /** Nothing more arrives. */
  ended(ending: Ending): void
}

type OpenCall = {
  readonly call: RecognisedCall
  readonly parts: RequestParts
  readonly api: LlmApi
  readonly eventId: string | null
  readonly documents: JsonObject[]
  bytes: number
}

export function createSocketCalls(
  recorder: TapeRecorder,
  scrubber: Scrubber,
): (id: number, url: string) => SocketCalls {
  const write = createCallWriter(recorder, scrubber)
  const known = new KnownParts()
  return (id, url) => new ModelSocket(id, url, write, known)
}

/** Events that a call does not need: sound, in pieces. */
const SOUND = /"type"\s*:\s*"(?:input_audio_buffer\.append|response\.(?:output_)?audio\.delta)"/
const START = '"response.create"'

class ModelSocket implements SocketCalls {
  readonly #id: number
  readonly #host: string
  readonly #path: string
  readonly #model: string | null
  readonly #write: (ended: EndedCall) => void
  readonly #known: KnownParts
  /** Whether the connection carries calls: by its address, or by what is sent. */
  #isModel: boolean
  #session: ScrubbedObject = {}
  #items: ScrubbedJson[] = []
  /** Sent, and not begun by the server. */
  readonly #waiting: OpenCall[] = []
  readonly #begun = new Map<string, OpenCall>()

  constructor(id: number, url: string, write: (ended: EndedCall) => void, known: KnownParts) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    this.#id = id
    this.#host = parsed?.hostname ?? ''
    this.#path = parsed?.pathname ?? ''
    this.#model = parsed?.searchParams.get('model') ?? null
    this.#isModel = /\/realtime\/?$/.test(this.#path)
    this.#write = write
    this.#known = known
  }

  sent(bytes: ScrubbedBytes): void {
    if (!this.#isModel && !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(START))
      return
    const message = objectOf(bytes)
    switch (message?.type) {
      case 'session.update':
        if (isScrubbedObject(message.session)) this.#session = { ...this.#session, ...message.session }
        return
      case 'conversation.item.create':
        if (message.item !== undefined) this.#items.push(message.item)
        return
      case 'response.create':
        this.#isModel = true
        this.#waiting.push(this.#callOf(message))
        return
    }
  }

  received(bytes: ScrubbedBytes): void {
    const event = this.#isModel ? objectOf(bytes) : null
    if (event === null) return
    const type = textOf(event.type) ?? ''
    if (type === 'error') this.#failed(event)
    else if (type === 'conversation.item.input_audio_transcription.completed') this.#spoken(event)
    if (!type.startsWith('response.')) return
    const id = textOf(event.response_id) ?? textOf(fieldsOf(event.response).id)
    if (type === 'response.created' && id !== null)
      this.#begun.set(id, this.#waiting.shift() ?? this.#callOf({}))
    const [key, call] = this.#callWith(id) ?? []
    if (key === undefined || call === undefined) return
    call.bytes += bytes.byteLength
    if (call.bytes <= MAX_ANSWER_BYTES || isLast(type)) call.documents.push(event)
    if (!isLast(type)) return
    this.#begun.delete(key)
    if (call.api === openaiRealtime && isScrubbedObject(event.response))
      this.#keepOutput(event.response.output)
    this.#finish(call, { type: 'end' })
  }

  ended(ending: Ending): void {
    const calls = [...this.#begun.values(), ...this.#waiting.splice(0)]
    this.#begun.clear()
    for (const call of calls) this.#finish(call, ending)
  }

  /** Events of the responses API do not name their response: a connection has one at a time. */
  #callWith(id: string | null): readonly [string, OpenCall] | null {
    if (id === null) return this.#begun.size === 1 ? ([...this.#begun][0] ?? null) : null
    const call = this.#begun.get(id)
    return call === undefined ? null : [id, call]
  }

  #callOf(message: ScrubbedObject): OpenCall {
    const isResponses = RESPONSES.some((name) => name in message)
    const body = isResponses ? message : this.#realtimeBody(message.response)
    const call = { host: this.#host, path: this.#path, body, isCompact: false }
    const api = isResponses ? openaiResponses : openaiRealtime
    return {
      call: { ...call, api },
      parts: requestParts(body, this.#known),
      api,
      eventId: textOf(message.event_id),
      documents: [],
      bytes: 0,
    }
  }

  #realtimeBody(response: ScrubbedJson | undefined): ScrubbedObject {
    const own = isScrubbedObject(response) ? response : {}
    return { ...this.#session, ...own, input: own.input ?? [...this.#items] }
  }

  #keepOutput(output: ScrubbedJson | undefined): void {
    if (Array.isArray(output)) for (const item of output as readonly ScrubbedJson[]) this.#items.push(item)
  }

  #spoken({ item_id: id, transcript }: ScrubbedObject): void {
    if (transcript === undefined) return
    this.#items.push({ ...(id === undefined ? {} : { id }), role: USER, transcript })
  }

  /** An error ends the call that it names. The responses API names none, and has one call at a time. */
  #failed(event: JsonObject): void {
    const id = textOf(fieldsOf(event.error).event_id)
    const at = this.#waiting.findIndex(({ api, eventId }) =>
      api === openaiRealtime ? id !== null && eventId === id : true,
    )
    const [call] = at < 0 ? [] : this.#waiting.splice(at, 1)
    const begun = [...this.#begun].find(([, { api }]) => api === openaiResponses)
    if (call === undefined && begun !== undefined) this.#begun.delete(begun[0])
    const failed = call ?? begun?.[1]
    failed?.documents.push(event)
    if (failed !== undefined) this.#finish(failed, { type: 'end' })
  }

  #finish({ call, parts, api, documents }: OpenCall, ending: Ending): void {
    const answer = api.read(documents)
    const model = answer.model ?? modelOf(documents) ?? this.#model
    const whole = model === null ? answer : { ...answer, model }
    this.#write({
      id: this.#id,
      call,
      parts,
      api,
      answer: whole,
      documents,
      ending: { ...ending, status: null },
    })
  }
}

const USER = label('user')
const RESPONSES = ['input', 'prompt', 'previous_response_id', 'model']

function modelOf(documents: readonly JsonObject[]): string | null {
  for (const { response } of documents) {
    const model = textOf(fieldsOf(response).model)
    if (model !== null) return model
  }
  return null
}

function isLast(type: string): boolean {
  return /^response\.(?:completed|incomplete|failed|done|cancelled)$/.test(type)
}

function objectOf(bytes: ScrubbedBytes): ScrubbedObject | null {
  const text = scrubbedTextOrNull(bytes)
  if (text === null || !text.startsWith('{') || SOUND.test(text.slice(0, 400))) return null
  const value = parseScrubbed(text)
  return isScrubbedObject(value) ? value : null
}

function isScrubbedObject(value: ScrubbedJson | undefined): value is ScrubbedObject {
  return isObject(value)
}
