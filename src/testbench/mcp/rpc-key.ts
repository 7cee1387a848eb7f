/**
 * The match key of a client's message: method and params, as scrubbed canonical JSON. Ids do not count, nor
 * does the token under which progress is reported: both are the client's own names for a call. An answer to
 * the server counts with its id, which is the server's.
 */
import {
  canonicalJsonText,
  JsonScanError,
  jsonMember,
  jsonMembers,
  jsonObjectText,
} from '../../base/index.ts'
import { normalisePlaceholders } from '../../scrub/index.ts'
import type { RpcId, RpcMessage } from './json-rpc.ts'

/** The id on the tape of a call of this run; the same id if they do not differ. */
type RecordedId = (live: RpcId) => RpcId

/** The spelling on the tape of a text of this run, if the two differ. */
export type Translation = {
  readonly recordedId?: RecordedId
  /** Maps a path of this machine to that of the recording. */
  readonly moved?: (text: string) => string
}

/** One text per message. */
export function rpcKey(
  message: RpcMessage,
  { recordedId = (live) => live, moved = (text) => text }: Translation = {},
): string {
  try {
    return normalisePlaceholders(canonicalJsonText(moved(keyText(message, recordedId))))
  } catch (error) {
    // Nested too deep: the text itself is the key.
    if (error instanceof JsonScanError || error instanceof RangeError) return message.text
    throw error
  }
}

/** A short form: `tools/call echo`, `answer to 3`. */
export function rpcSubject(message: RpcMessage): string {
  if (message.type === 'response') return `answer ${message.id}`
  const { params } = message
  const named = typeof params === 'object' && params !== null && 'name' in params ? params.name : null
  return typeof named === 'string' && /^[\w./:-]{1,64}$/.test(named)
    ? `${message.method} ${named}`
    : message.method
}

function keyText(message: RpcMessage, recordedId: RecordedId): string {
  switch (message.type) {
    case 'request':
      return methodText(message.method, withoutToken(jsonMember(message.text, 'params') ?? 'null'))
    case 'notification':
      return methodText(
        message.method,
        cancelledAs(message.method, jsonMember(message.text, 'params') ?? 'null', recordedId),
      )
    case 'response':
      return message.text
  }
}

function methodText(method: string, params: string): string {
  return jsonObjectText([
    ['method', JSON.stringify(method)],
    ['params', params],
  ])
}

/** `_meta` with only the token counts as missing, and so do params with only `_meta`. */
function withoutToken(params: string): string {
  const members = jsonMembers(params)
  const meta = jsonMember(params, '_meta')
  if (members === null || meta === undefined) return params
  const kept = (jsonMembers(meta) ?? []).filter(([name]) => name !== 'progressToken')
  const others = members.filter(([name]) => name !== '_meta')
  return jsonObjectText(kept.length === 0 ? others : [...others, ['_meta', jsonObjectText(kept)]])
}

function cancelledAs(method: string, params: string, recordedId: RecordedId): string {
  const live = method === 'notifications/cancelled' ? jsonMember(params, 'requestId') : undefined
  if (live === undefined) return params
  return withMember(params, 'requestId', JSON.stringify(recordedId(JSON.parse(live))))
}

/** The object with this member as this text; the position of the member stays. */
export function withMember(object: string, name: string, value: string): string {
  const members = jsonMembers(object)
  if (members === null) return object
  return jsonObjectText(members.map(([known, text]) => [known, known === name ? value : text] as const))
}
