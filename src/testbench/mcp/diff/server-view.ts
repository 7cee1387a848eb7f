/**
 * What one server showed in a run: its greeting, its offers (tools, prompts, resources), and its answer to
 * each call. The last complete listing counts; pages of one listing are joined. No answer is assumed to have
 * the right types.
 */
import {
  canonicalJsonText,
  fieldsOf,
  isObject,
  type Json,
  type JsonObject,
  jsonOf,
  objectsOf,
  textOf,
} from '../../../base/index.ts'
import type { McpInteraction } from '../interaction.ts'
import { matchText, messagesOf } from '../json-rpc.ts'
import { rpcKey } from '../rpc-key.ts'

export type ServerView = {
  readonly name: string
  /** Protocol version, server info, capabilities, instructions; null if the run has no greeting. */
  readonly greeting: JsonObject | null
  /** By area, then by name; null if the run has no listing of it. */
  readonly offers: { readonly [area in OfferArea]: ReadonlyMap<string, JsonObject> | null }
  readonly calls: ReadonlyMap<string, CallView>
}

export type OfferArea = 'tool' | 'prompt' | 'resource' | 'resource_template'

export type CallView = {
  readonly method: string
  /** A short form: the tool that was called, the resource that was read. */
  readonly subject: string
  /** In order: the results, or errors, of equal calls. */
  readonly answers: readonly { readonly value: Json; readonly text: string }[]
}

/** Where each area is listed, and the key of its members. */
const LISTINGS: {
  readonly [method: string]: { readonly area: OfferArea; readonly list: string; readonly key: string }
} = {
  'tools/list': { area: 'tool', list: 'tools', key: 'name' },
  'prompts/list': { area: 'prompt', list: 'prompts', key: 'name' },
  'resources/list': { area: 'resource', list: 'resources', key: 'uri' },
  'resources/templates/list': { area: 'resource_template', list: 'resourceTemplates', key: 'uriTemplate' },
}

const GREETINGS = new Set(['initialize', 'server/discover'])

export function serverView(name: string, interactions: readonly McpInteraction[]): ServerView {
  const offers: { [area in OfferArea]: Map<string, JsonObject> | null } = {
    tool: null,
    prompt: null,
    resource: null,
    resource_template: null,
  }
  const calls = new Map<
    string,
    { method: string; subject: string; answers: { value: Json; text: string }[] }
  >()
  let greeting: JsonObject | null = null
  for (const { method, request, response } of interactions) {
    if (response === null) continue
    const answer = fieldsOf(jsonOf(response))
    const params = fieldsOf(fieldsOf(jsonOf(request)).params)
    const listing = LISTINGS[method]
    if (GREETINGS.has(method) && isObject(answer.result)) greeting = answer.result
    else if (listing !== undefined && isObject(answer.result)) {
      const known = params.cursor === undefined ? null : offers[listing.area]
      offers[listing.area] = addPage(known ?? new Map(), answer.result[listing.list], listing.key)
    } else {
      const [message] = messagesOf(request) ?? []
      const key = message === undefined ? matchText(request) : rpcKey(message)
      const call = calls.get(key) ?? { method, subject: subjectOf(method, params), answers: [] }
      const value: Json =
        answer.error === undefined ? { result: answer.result ?? null } : { error: answer.error }
      call.answers.push({ value, text: canonicalJsonText(JSON.stringify(value)) })
      calls.set(key, call)
    }
  }
  return { name, greeting, offers, calls }
}

function addPage(
  known: Map<string, JsonObject>,
  page: Json | undefined,
  key: string,
): Map<string, JsonObject> {
  for (const offer of objectsOf(page)) {
    const name = textOf(offer[key])
    if (name !== null) known.set(name, offer)
  }
  return known
}

function subjectOf(method: string, params: JsonObject): string {
  const what =
    textOf(params.name) ??
    textOf(params.uri) ??
    textOf(fieldsOf(params.ref).name) ??
    textOf(fieldsOf(params.ref).uri)
  return what === null ? method : `${method} ${what}`
}
