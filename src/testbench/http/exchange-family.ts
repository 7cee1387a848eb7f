/**
 * HTTP exchanges. Method, URL and body are the key. An annotator follows an exchange that is a call of a
 * model, or carries MCP, in a replay as in a recording: it derives its records from what is delivered.
 *
 * A client of MCP may number its calls differently from run to run. The tape of a replay has the ids of the
 * recording; what the program receives has its own.
 */
import { GrowingHash, GrowingJson, textOrNull, utf8 } from '../../base/index.ts'
import type { HttpRequest } from '../../boundaries/session.ts'
import { normalisePlaceholders, type Scrubber } from '../../scrub/index.ts'
import { CONVERSATIONS } from '../../tape/grown-request.ts'
import {
  type DescribedRequest,
  describeRequest,
  type KnownBodies,
  type MatchRules,
} from '../keys/request-key.ts'
import { createCallRecorder } from '../llm/call-recorder.ts'
import { type CallNames, underRecordedNames } from '../mcp/call-ids.ts'
import { createMcpFollowers } from '../mcp/http-recorder.ts'
import { createMcpReplay } from '../mcp/http-replay.ts'
import { messagesOf, type RpcId } from '../mcp/json-rpc.ts'
import type { CallFollower } from '../records/call-follower.ts'
import { bodyStore } from '../records/large-body.ts'
import type { Delivery } from '../session/delivery.ts'
import { encodedAgain } from '../session/encoded-again.ts'
import type {
  Description,
  EffectCode,
  EffectFamily,
  Origin,
  SessionFamily,
  Tools,
} from '../session/family.ts'
import { ExchangeCode, exchangeDecoder } from './exchange-code.ts'

export function exchangeFamily(match: MatchRules = {}): EffectFamily {
  return {
    name: 'http',
    takes: ({ request }) => request !== undefined,
    create: (tools) => exchanges(tools, match),
  }
}

function exchanges(tools: Tools, match: MatchRules): SessionFamily {
  const { recorder, scrubber, tape } = tools
  const callOf = createCallRecorder(recorder, scrubber)
  const followMcp = createMcpFollowers(recorder, scrubber)
  const bodies: KnownBodies = {
    json: new GrowingJson(CONVERSATIONS, normalisePlaceholders),
    hashes: new GrowingHash(),
  }
  const store = bodyStore(tools)
  const mcp = createMcpReplay()
  const translation = tape === null ? undefined : { recordedId: mcp.recordedId, moved: tape.moved }

  const describe = (id: number, asked: HttpRequest): Description => {
    const request = describeRequest(asked, scrubber, match, bodies, store, translation)
    // A call of a model has a body.
    const mayBeCall = request.mcp === null && request.body !== null && !request.isOther
    const call = mayBeCall ? callOf(id, request) : null
    return {
      keys: [request.key],
      start: () => ({ request: call?.request }),
      body: request.body,
      subject: request.mcp === null ? (call === null ? undefined : 'llm') : 'mcp',
      open: (origin) => open(id, request, call, origin),
      unmatched(miss) {
        if (request.mcp === null || request.mcp.messages.length === 0) return null
        const divergence = tools.diverge(miss())
        const refusal = mcp.refuse(request.mcp, divergence)
        if (refusal === null) return null
        if (refusal.over !== null) tools.deliver(refusal.over.effect, refusal.over.outcome)
        return { code: open(id, request, call, WORLD), outcomes: refusal.own }
      },
    }
  }

  const open = (
    id: number,
    request: DescribedRequest,
    call: CallFollower | null,
    origin: Origin,
  ): EffectCode => {
    const received = tools.received(origin)
    if (request.mcp === null) {
      const decode = origin.type === 'world' ? undefined : exchangeDecoder(origin.effect, tools)
      return new ExchangeCode({ id, request, received, call }, tools, decode)
    }
    if (origin.type === 'world')
      return new ExchangeCode({ id, request, received, call: followMcp(id, request.url, request.mcp) }, tools)
    const { effect } = origin
    const names = tape?.index.callNames(effect) ?? []
    const recorded = asRecorded(
      request,
      names,
      (live) => mcp.recordedId(request.mcp?.connection ?? '', live),
      scrubber,
    )
    mcp.matched(id, request.mcp, request.url, names)
    const decode = exchangeDecoder(effect, tools)
    const bodyAhead = (): Uint8Array => bodyOf(effect, tools)
    return new ExchangeCode(
      { id, request: recorded, received, call: followMcp(id, request.url, recorded.mcp ?? request.mcp) },
      tools,
      (record) =>
        decode(record).map(
          (delivery): Delivery => ({ ...delivery, given: mcp.renamed(id, [delivery.outcome], bodyAhead) }),
        ),
      () => mcp.forget(id),
    )
  }

  return { describe: (id, { options }) => describe(id, options.request ?? NO_REQUEST) }
}

/** The request with the ids that its calls have on the tape. */
function asRecorded(
  request: DescribedRequest,
  names: readonly CallNames[],
  recordedId: (live: RpcId) => RpcId,
  scrubber: Scrubber,
): DescribedRequest {
  const text = request.body === null ? null : textOrNull(request.body)
  const renamed =
    text === null || request.mcp === null
      ? text
      : underRecordedNames(text, request.mcp.messages, names, recordedId)
  if (renamed === text || renamed === null || request.mcp === null) return request
  return {
    ...request,
    body: scrubber.bytes(utf8(renamed), 'sent'),
    stored: null,
    json: null,
    mcp: { ...request.mcp, messages: messagesOf(renamed) ?? request.mcp.messages },
  }
}

/** The bytes of a recorded body that have not been delivered, to its end. */
function bodyOf(effect: number, { tape }: Tools): Uint8Array {
  const bytes: Uint8Array[] = []
  for (const { kind } of tape?.ahead() ?? []) {
    if (tape === null || (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.of !== effect)
      continue
    if (kind.kind === 'stream_chunk') bytes.push(tape.payloads(kind.data))
    else {
      if (kind.tail !== undefined) bytes.push(encodedAgain(kind, tape.payloads(kind.tail)))
      break
    }
  }
  return Buffer.concat(bytes)
}

const WORLD: Origin = { type: 'world' }
const NO_REQUEST: HttpRequest = { method: '', url: '', headers: [], body: null }
