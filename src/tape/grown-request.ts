/**
 * A request as what is new in it: `{ base, keep, append }` means that its conversation is the first `keep`
 * messages of the request in record `base`, and then `append`. Other members that differ are in `set`,
 * those that are gone in `drop`; `order` is there when the members would come out in another order. So a
 * conversation grows on the tape by its turns, not by their sum.
 */
import type { Json } from '../base/canonical-json.ts'
// Not from the index of base: the page of the viewer loads this file, and BLAKE3 with it would be too much.
import { isObject } from '../base/json-value.ts'

export type GrownRequest = {
  readonly base: number
  readonly keep: number
  readonly append: readonly Json[]
  readonly set?: RequestObject
  readonly drop?: readonly string[]
  readonly order?: readonly string[]
}

export type RequestObject = { readonly [name: string]: Json }

/** Where the APIs keep the conversation. */
export const CONVERSATIONS = ['messages', 'input', 'contents'] as const

/** The member that holds the conversation, if one does. */
export function conversationOf(request: RequestObject): string | null {
  return CONVERSATIONS.find((name) => Array.isArray(request[name])) ?? null
}

/** The difference that this JSON is, or null for a whole request. */
export function grownRequestOf(request: Json): GrownRequest | null {
  if (
    !isRequest(request) ||
    typeof request.base !== 'number' ||
    typeof request.keep !== 'number' ||
    !Array.isArray(request.append)
  )
    return null
  const { base, keep, append, set, drop, order } = request
  return {
    base,
    keep,
    append,
    ...(isRequest(set) ? { set } : {}),
    ...(drop === undefined ? {} : { drop: namesOf(drop) }),
    ...(order === undefined ? {} : { order: namesOf(order) }),
  }
}

/** The whole request again: equal in every member and in their order. */
export function grow(
  base: RequestObject,
  { keep, append, set = {}, drop = [], order }: GrownRequest,
): RequestObject {
  const list = conversationOf(base)
  const members = new Map(Object.entries(base))
  const kept = list === null ? undefined : base[list]
  if (list !== null && Array.isArray(kept)) members.set(list, [...kept.slice(0, keep), ...append])
  for (const name of drop) members.delete(name)
  for (const [name, value] of Object.entries(set)) members.set(name, value)
  // A map on the way, because assigning to a member called __proto__ would not make one.
  if (order === undefined) return Object.fromEntries(members)
  return Object.fromEntries(
    order.flatMap((name) => {
      const value = members.get(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

export function isRequest(value: Json | undefined): value is RequestObject {
  return isObject(value)
}

function namesOf(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
