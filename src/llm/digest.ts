/**
 * The digest of a request by upstream's rule: BLAKE3 of compact JSON with sorted keys over what was asked,
 * and the model that answered. Sampling options and the provider do not count, so this is for readers of the
 * tape and never a match key.
 */
import { type ContentHash, canonicalJson, contentHash, utf8 } from '../base/index.ts'
import type { DigestSurface } from './api.ts'

export function requestDigest(surface: DigestSurface, model: string | null): ContentHash {
  const { messages, system, tools, tool_choice, thinking, more } = surface
  return contentHash(utf8(canonicalJson({ messages, system, tools, tool_choice, thinking, model, ...more })))
}
