/**
 * The digest of a request by upstream's rule: BLAKE3 of compact JSON with sorted keys over what was asked,
 * and the model that answered. Sampling options and the provider do not count, so this is for readers of the
 * tape and never a match key.
 */
import { type ContentHash, canonicalJson, contentHashOfText, type PrintedValues } from '../base/index.ts'
import type { DigestSurface } from './api.ts'

/** `printed` remembers messages: the next request has them again. */
export function requestDigest(
  surface: DigestSurface,
  model: string | null,
  printed?: PrintedValues,
): ContentHash {
  const { messages, system, tools, tool_choice, thinking, more } = surface
  const content = { messages, system, tools, tool_choice, thinking, model, ...more }
  return contentHashOfText(canonicalJson(content, printed))
}
