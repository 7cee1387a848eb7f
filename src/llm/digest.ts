/**
 * The digest of a request by upstream's rule: BLAKE3 of compact JSON with sorted keys over what was asked,
 * and the model that answered. Sampling options and the provider do not count, so this is for readers of the
 * tape and never a match key.
 */
import {
  aroundList,
  type ContentHash,
  canonicalItem,
  canonicalJson,
  contentHashOfText,
  type GrowingHash,
  type GrowingMap,
  type Json,
  type PrintedValues,
} from '../base/index.ts'
import type { DigestSurface } from './api.ts'

/** What a session remembers of its messages: the next request has them again. */
export type DigestMemory = {
  readonly printed: PrintedValues
  readonly lists: GrowingMap<Json, string>
  readonly hashes: GrowingHash
}

export function requestDigest(
  surface: DigestSurface,
  model: string | null,
  memory?: DigestMemory,
): ContentHash {
  const { messages, system, tools, tool_choice, thinking, more } = surface
  const others = { system, tools, tool_choice, thinking, model, ...more }
  if (memory === undefined || !Array.isArray(messages) || 'messages' in others)
    return contentHashOfText(canonicalJson({ messages, ...others }))
  const members = Object.entries(others).map(([name, value]) => [name, canonicalJson(value)] as const)
  const { head, tail } = aroundList(members, 'messages')
  const pieces = memory.lists.map(messages, (message) => canonicalItem(message, memory.printed))
  return memory.hashes.hash(head, pieces, tail)
}
