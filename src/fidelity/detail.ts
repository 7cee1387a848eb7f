/**
 * Finds what to look into for a field that differs: its own bytes, the bytes behind a hash, or the request
 * behind a digest.
 */
import type { Json } from '../base/index.ts'
import type { Chunk, Payload } from '../tape/fields.ts'
import type { RecordKind } from '../tape/kinds.ts'
import { type GrownRequest, grownRequest, type Values } from './comparable.ts'
import { jsonDifference, type PayloadDifference, payloadDifference } from './payload-difference.ts'
import type { FieldRule } from './rules.ts'
import type { TapeSource } from './source.ts'

export function createDetail(recorded: TapeSource, replayed: TapeSource) {
  const ofPayloads = (left: unknown, right: unknown): PayloadDifference | null => {
    if (left === undefined || right === undefined) return null
    return payloadDifference(
      left as Payload | Chunk,
      right as Payload | Chunk,
      (payload) => recorded.resolve(payload),
      (payload) => replayed.resolve(payload),
    )
  }
  return (rule: FieldRule, left: RecordKind, right: RecordKind): PayloadDifference | null => {
    const [expected, actual] = [left as Values, right as Values]
    switch (rule.shape) {
      case 'payload':
      case 'chunk':
        return ofPayloads(expected[rule.name], actual[rule.name])
      case 'json':
      case 'conversation':
        return requestDifference(expected[rule.name], actual[rule.name])
      case 'headers':
        return jsonDifference(expected[rule.name] as Json, actual[rule.name] as Json)
      case 'plain':
        if (rule.name === 'contentHash') return ofPayloads(expected.payload, actual.payload)
        return rule.name === 'requestDigest' ? requestOf(left, right, ofPayloads) : null
    }
  }
}

/** An `llm_call` may hold its request as JSON, an `mcp_json_rpc` as a payload of its own. */
function requestOf(
  left: RecordKind,
  right: RecordKind,
  ofPayloads: (left: unknown, right: unknown) => PayloadDifference | null,
): PayloadDifference | null {
  if (left.kind === 'llm_call' && right.kind === 'llm_call')
    return requestDifference(left.request, right.request)
  if (left.kind === 'mcp_json_rpc' && right.kind === 'mcp_json_rpc')
    return ofPayloads(left.requestPayload, right.requestPayload)
  return null
}

function requestDifference(expected: unknown, actual: unknown): PayloadDifference | null {
  if (expected === undefined || actual === undefined) return null
  const [left, right] = [grownRequest(expected), grownRequest(actual)]
  if (left !== null && right !== null) return grownDifference(left, right)
  return jsonDifference(expected as Json, actual as Json)
}

/**
 * Both grow from an earlier request: the index of a message counts from the beginning of the conversation.
 */
function grownDifference(expected: GrownRequest, actual: GrownRequest): PayloadDifference {
  const asMessages = (request: GrownRequest): Json => {
    const { base: _base, keep, append, ...rest } = request
    return { ...rest, keep, messages: append } as Json
  }
  const found = jsonDifference(asMessages(expected), asMessages(actual))
  const moved = (path: string): string =>
    path.replace(
      /^\$\.messages\[(\d+)\]/,
      (_, index: string) => `$.messages[${Number(index) + expected.keep}]`,
    )
  const message = found.changedMessage
  return {
    ...found,
    differences: found.differences.map((difference) => ({ ...difference, path: moved(difference.path) })),
    changedMessage:
      message === null
        ? null
        : { ...message, index: message.index + expected.keep, path: moved(message.path) },
  }
}
