/** The match hash of a JSON body that is too long to be read as one value. */
import { type ContentHash, readLargeList } from '../../base/index.ts'
import { normalisePlaceholders, type ScrubbedBytes } from '../../scrub/index.ts'

/** A longer body is read in parts, if it can be. */
export const LONGEST_VALUE: number = 8 * 1024 * 1024

/**
 * The hash of a large JSON body that is mostly one list, and neither a call of a model nor MCP: read in parts,
 * because its value would take several times its length. Null for any other body.
 */
export function hashOfList(lines: readonly string[], body: ScrubbedBytes): ContentHash | null {
  const list = readLargeList(body)
  if (list === null || list.names.some((name) => CALL_MEMBERS.has(name))) return null
  return list.canonicalHash(lines, normalisePlaceholders)
}

/** Each API of a model needs one of these, and so does MCP. */
const CALL_MEMBERS = new Set([
  'messages',
  'contents',
  'input',
  'prompt',
  'previous_response_id',
  'conversation',
  'jsonrpc',
])
