/**
 * The answer to what is not on the tape: a JSON-RPC error per call, with upstream's number, so that the
 * client's library reports it as any error of its server. A notification has no answer; over HTTP it is
 * refused as a whole, as the MCP specification requires for what a server cannot accept.
 */
import { type Json, utf8 } from '../../base/index.ts'
import type { Outcome } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { NOT_ON_TAPE, type RpcId, type RpcMessage } from './json-rpc.ts'

function errorAnswer(id: RpcId | null, divergence: Divergence): string {
  const [headline = ''] = divergence.message.split('\n')
  const { seq, category, expected, actual, path } = divergence
  const data: Json = { code: 'replay-diverged', seq, category, expected, actual, path }
  const message = `${headline}${path === null ? '' : `; differs at ${path}`}`
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: NOT_ON_TAPE, message, data } })
}

/** One error per call among the messages. */
export function errorAnswers(messages: readonly RpcMessage[], divergence: Divergence): readonly string[] {
  return messages.flatMap((message) =>
    message.type === 'request' ? [errorAnswer(message.id, divergence)] : [],
  )
}

/** The whole HTTP answer to messages that are not on the tape. */
export function httpRefusal(messages: readonly RpcMessage[], divergence: Divergence): Outcome[] {
  const answers = errorAnswers(messages, divergence)
  if (answers.length === 0) return httpAnswer(400, 'Bad Request', errorAnswer(null, divergence))
  return httpAnswer(
    200,
    'OK',
    answers.length === 1 && messages.length === 1 ? (answers[0] ?? '') : `[${answers.join(',')}]`,
  )
}

export function httpAccepted(): Outcome[] {
  return httpAnswer(202, 'Accepted', '')
}

function httpAnswer(status: number, statusText: string, body: string): Outcome[] {
  const bytes = utf8(body)
  const type = body === '' ? [] : [['content-type', 'application/json'] as const]
  const head: Outcome = {
    type: 'head',
    status,
    statusText,
    headers: [...type, ['content-length', String(bytes.byteLength)]],
  }
  return [head, ...(body === '' ? [] : [{ type: 'chunk', bytes } as const]), { type: 'end', trailers: [] }]
}
