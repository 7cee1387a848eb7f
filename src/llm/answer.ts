/**
 * What a model answered, in one shape for every API, and the builder with which each API fills it from a
 * whole answer or from the parts of a stream.
 */
import { isObject, type Json, type JsonObject, jsonOf } from '../base/index.ts'

type LlmUsage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export type LlmToolCall = {
  readonly id: string
  readonly name: string
  /** The parsed arguments; the text itself where it is no JSON, as when a stream was cut. */
  readonly arguments: Json
}

/** Text, thinking and tool calls in the order in which the model gave them. */
export type LlmBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: LlmToolCall }

export type LlmAnswer = {
  readonly blocks: readonly LlmBlock[]
  readonly model: string | null
  readonly usage: LlmUsage | null
  readonly stopReason: string | null
  readonly thinkingSummary: string | null
  readonly logprobs: readonly Json[]
  /** What the API itself reported as wrong, in the answer or in the midst of its stream. */
  readonly error: JsonObject | null
  /** The answer came to the end that its API gives to a whole one. */
  readonly complete: boolean
}

type OpenBlock =
  | { readonly type: 'text' | 'thinking'; text: string }
  | { readonly type: 'tool_call'; id: string; name: string; json: string; given?: Json }

export class AnswerBuilder {
  readonly #blocks: OpenBlock[] = []
  readonly #byKey = new Map<string, OpenBlock>()
  readonly #usage = {
    input: null as number | null,
    output: null as number | null,
    cacheRead: null as number | null,
    cacheWrite: null as number | null,
  }
  readonly logprobs: Json[] = []
  model: string | null = null
  stopReason: string | null = null
  error: JsonObject | null = null
  complete = false
  #summary: string | null = null

  /**
   * Adds to the block that was last given this key; without a key, to the last block if it is of the same
   * type.
   */
  text(type: 'text' | 'thinking', text: string | null, key?: string): void {
    if (text === null) return
    const last = key === undefined ? this.#blocks.at(-1) : this.#byKey.get(key)
    if (last !== undefined && last.type === type) {
      last.text += text
      return
    }
    if (text !== '' || key !== undefined) this.#open({ type, text }, key)
  }

  /** Adds to what the API gives in place of the model's thinking. */
  summary(text: string | null): void {
    if (text !== null && text !== '') this.#summary = (this.#summary ?? '') + text
  }

  /** `json` is added to the arguments so far; `given` are arguments that came as a value. */
  toolCall(
    part: {
      readonly id?: string | null
      readonly name?: string | null
      readonly json?: string | null
      readonly given?: Json
    },
    key?: string,
  ): void {
    const known = key === undefined ? undefined : this.#byKey.get(key)
    const call =
      known?.type === 'tool_call' ? known : this.#open({ type: 'tool_call', id: '', name: '', json: '' }, key)
    if (call.type !== 'tool_call') return
    if (part.id !== undefined && part.id !== null && part.id !== '') call.id = part.id
    if (part.name !== undefined && part.name !== null) call.name += part.name
    call.json += part.json ?? ''
    if (part.given !== undefined) call.given = part.given
  }

  /** A missing count keeps the previous one: streams report their usage in parts. */
  usage(
    counts: { readonly [name in 'input' | 'output' | 'cacheRead' | 'cacheWrite']?: number | null },
  ): void {
    for (const name of ['input', 'output', 'cacheRead', 'cacheWrite'] as const)
      this.#usage[name] = counts[name] ?? this.#usage[name]
  }

  done(): LlmAnswer {
    const { input, output, cacheRead, cacheWrite } = this.#usage
    const counted = [input, output, cacheRead, cacheWrite].some((count) => count !== null)
    return {
      blocks: this.#blocks.filter((block) => block.type === 'tool_call' || block.text !== '').map(closed),
      model: this.model,
      usage: counted
        ? { input: input ?? 0, output: output ?? 0, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0 }
        : null,
      stopReason: this.stopReason,
      thinkingSummary: this.#summary,
      logprobs: this.logprobs,
      error: this.error,
      complete: this.complete,
    }
  }

  #open(block: OpenBlock, key: string | undefined): OpenBlock {
    this.#blocks.push(block)
    if (key !== undefined) this.#byKey.set(key, block)
    return block
  }
}

function closed(block: OpenBlock): LlmBlock {
  if (block.type !== 'tool_call') return block
  const { id, name, json, given } = block
  const value = json === '' ? (given ?? {}) : (jsonOf(json) ?? json)
  return { type: 'tool_call', call: { id, name, arguments: value } }
}

/** `error` of an answer: an object, or a sentence. */
export function errorObject(value: Json | undefined): JsonObject | null {
  if (typeof value === 'string') return { message: value }
  return isObject(value) ? value : null
}
