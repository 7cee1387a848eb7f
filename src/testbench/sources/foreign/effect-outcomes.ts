/**
 * What an effect gets from the tape of another system: the records that describe it, which are then used, and
 * their outcomes.
 */
import type { Outcome } from '../../../boundaries/session.ts'
import type { Divergence } from '../../../fidelity/divergence.ts'
import type { TapePayloads } from '../../../tape/tape-payloads.ts'
import { spawnKey } from '../../keys/spawn-key.ts'
import { mcpHttpRequest } from '../../mcp/http-request.ts'
import type { RpcMessage } from '../../mcp/json-rpc.ts'
import { errorAnswers } from '../../mcp/refusal.ts'
import type { EffectStart } from '../../session/family.ts'
import type { Kernel } from '../../session/source.ts'
import { spawnOutcomes } from '../../tape-index/foreign-spawns.ts'
import type { ForeignFiles } from './files.ts'
import type { Output } from './foreign-recorder.ts'
import { type ForeignRecord, type ForeignRecords, isKind } from './foreign-records.ts'
import { greetingAnswer, isGreeting, isMcpCall, type McpCall, mcpAnswer } from './mcp-calls.ts'
import { missingPayload, orNull } from './missing-payload.ts'
import { httpOutcomes, modelCall } from './model-calls.ts'
import type { Progress } from './progress.ts'

export type Prepared = {
  readonly records: readonly ForeignRecord[]
  readonly outcomes: readonly Outcome[]
  readonly unseen?: ReadonlySet<Output>
}

type Child = NonNullable<EffectStart['options']['child']>

export type EffectOutcomes = {
  /** Null for an effect that the tape has no record of. */
  prepare(start: EffectStart): Prepared | null
  answerCall(call: McpCall): { readonly record: ForeignRecord | null; readonly text: string }
  isSpawn(record: ForeignRecord, child: Child): boolean
  /** The divergence of a subprocess whose output is not with the tape. */
  missingOutput(record: ForeignRecord): Divergence
}

export type ForeignTape = {
  readonly path: string
  readonly records: ForeignRecords
  readonly payloads: TapePayloads
  readonly files: ForeignFiles
  /** Whether the tape has calls of MCP, and of which server the first one is. */
  readonly mcpServer: string | null
}

export function effectOutcomes({ tools }: Kernel, progress: Progress, tape: ForeignTape): EffectOutcomes {
  const { path, records, payloads, files, mcpServer } = tape
  const { scrubber } = tools

  const prepareFile = ({ key, options: { sent } }: EffectStart): Prepared | null => {
    const record = records.find((each) => files.matches(each, key))
    if (record === null) return null
    progress.take(record)
    const answer = files.answer(record, sent)
    return 'category' in answer ? progress.refuse(answer) : { records: [record], outcomes: [answer] }
  }

  const prepareChild = ({ options: { child } }: EffectStart): Prepared | null => {
    if (child === undefined) return null
    const record = records.find((each) => isSpawn(each, child))
    if (isKind(record, 'process_spawn')) {
      progress.take(record)
      const outcomes = orNull(() => spawnOutcomes(record.kind, child.stdio, payloads))
      if (outcomes === null) return progress.refuse(missingOutput(record))
      return { records: [record], outcomes, unseen: unseenOf(child.stdio) }
    }
    return mcpServer !== null && child.stdio[0] === 'pipe' ? { records: [], outcomes: [] } : null
  }

  const isSpawn = (record: ForeignRecord, child: Child): boolean => {
    if (!isKind(record, 'process_spawn')) return false
    const recorded = spawnKey(record.kind, scrubber).key
    const { key, anywhere } = spawnKey(child, scrubber)
    return recorded === key || recorded === anywhere
  }

  const missingOutput = (record: ForeignRecord): Divergence => {
    const { kind } = record
    if (kind.kind !== 'process_spawn') throw new Error('no subprocess')
    const isOut = orNull(() => payloads(kind.stdoutPayload)) === null
    return missingPayload(record, path, (isOut ? kind.stdoutPayload : kind.stderrPayload).contentHash)
  }

  const prepareExchange = ({ options: { request } }: EffectStart): Prepared | null => {
    if (request === undefined) return null
    const mcp = mcpServer === null ? null : mcpHttpRequest(request)
    if (mcp !== null) return mcp.messages.length === 0 ? notAllowed() : prepareMessages(mcp.messages)
    const call = modelCall(request, scrubber, payloads)
    if (call === null) return null
    const record = records.find((each) => call.matches(each))
    if (!isKind(record, 'llm_call')) return progress.refuse(progress.miss(call.text))
    progress.take(record)
    const outcomes = call.outcomes(record)
    return outcomes === null
      ? progress.refuse(missingPayload(record, path, record.kind.response.contentHash))
      : { records: [record], outcomes }
  }

  /** A server may offer no stream of its own. */
  const notAllowed = (): Prepared => ({
    records: [],
    outcomes: httpOutcomes(405, 'Method Not Allowed', null, ''),
  })

  const prepareMessages = (messages: readonly RpcMessage[]): Prepared => {
    const calls = messages.filter((message) => message.type === 'request')
    if (calls.length === 0) return { records: [], outcomes: httpOutcomes(202, 'Accepted', null, '') }
    const answered = calls.map(answerCall)
    const texts = answered.map(({ text }) => text)
    const body = messages.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`
    return {
      records: answered.flatMap(({ record }) => (record === null ? [] : [record])),
      outcomes: httpOutcomes(200, 'OK', 'application/json', body),
    }
  }

  /** A call of MCP that is not on the tape gets an error of the server, as any client expects one. */
  const answerCall = (call: McpCall): { readonly record: ForeignRecord | null; readonly text: string } => {
    const record = records.find((each) => isMcpCall(each, call, payloads))
    if (!isKind(record, 'mcp_json_rpc')) {
      if (isGreeting(call)) return { record: null, text: greetingAnswer(call, mcpServer ?? '') }
      return {
        record: null,
        text: errorText(call, progress.miss(`mcp_json_rpc ${call.method} ${JSON.stringify(call.params)}`)),
      }
    }
    progress.take(record)
    const text = mcpAnswer(record, call, payloads)
    if (text !== null) return { record, text }
    return {
      record: null,
      text: errorText(call, missingPayload(record, path, record.kind.responsePayload.contentHash)),
    }
  }

  const errorText = (call: McpCall, divergence: Divergence): string =>
    errorAnswers([call], tools.diverge(divergence))[0] ?? ''

  return {
    isSpawn,
    missingOutput,
    answerCall,
    prepare(start) {
      if (start.options.request !== undefined) return prepareExchange(start)
      if (start.options.child !== undefined) return prepareChild(start)
      return start.boundary === 'filesystem' ? prepareFile(start) : null
    },
  }
}

function unseenOf(stdio: readonly string[]): ReadonlySet<Output> {
  const isSeen = (at: number): boolean => stdio[at] === 'pipe' || stdio[at] === 'copied'
  return new Set([...(isSeen(1) ? [] : ['stdout' as const]), ...(isSeen(2) ? [] : ['stderr' as const])])
}
