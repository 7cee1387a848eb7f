/**
 * Servers of the program: one effect for each server that listens, one for each connection to it. A server is
 * matched by its address, a connection by its server and its number.
 */
import type { Delivery } from '../session/delivery.ts'
import type {
  EffectCode,
  EffectFamily,
  EffectStart,
  Origin,
  SessionFamily,
  Tools,
} from '../session/family.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { type ConnectionCode, connectionCode } from './connection-code.ts'

export const serverFamily: EffectFamily = {
  name: 'server',
  takes: ({ server }) => server !== undefined,
  create: servers,
}

function servers(tools: Tools): SessionFamily {
  const { scrubber, tape } = tools
  const connections = new Set<ConnectionCode>()
  /** Closed ones too: what they sent is compared at the end. */
  const all = new Set<ConnectionCode>()

  const open = (id: number, start: EffectStart, origin: Origin): EffectCode => {
    if (start.options.server === 'listening') return listeningCode(id, origin, tools)
    const code = connectionCode(id, start.key, origin, tools)
    connections.add(code)
    all.add(code)
    // Not spread: `isHolding` is a getter.
    return {
      get isHolding() {
        return code.isHolding === true
      },
      isBusy: () => false,
      encode: (delivery) => code.encode(delivery),
      decode: (record) => code.decode(record),
      isBehind: (next) => code.isBehind(next),
      served: code.served,
      frames: code.frames,
      recordedSent: (record) => code.recordedSent(record),
      abandon() {
        connections.delete(code)
        code.abandon()
      },
    }
  }

  return {
    describe(id, start) {
      const { boundary, key } = start
      return {
        keys: [tape?.knownKey(boundary, key) ?? scrubber.text(key, 'sent')],
        open: (origin) => open(id, start, origin),
      }
    },
    end() {
      for (const code of connections) code.abandon()
      connections.clear()
    },
    leftovers: () => [...all].flatMap((code) => code.leftovers()),
  }
}

/** The address of a server, and the connections that it accepts, as JSON, one chunk each. */
function listeningCode(id: number, origin: Origin, tools: Tools): EffectCode {
  const { tape } = tools
  const stream = new StreamCode(id, tools.recorder, tools.received(origin), wholeChunks(origin, tools))
  let decoder: StreamDecoder | null = null
  function* ahead(effect: number): Generator<StreamPart> {
    for (const { kind } of tape?.ahead() ?? [])
      if ((kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === effect) yield kind
  }
  return {
    isBusy: () => false,
    encode({ outcome, recorded, together = false }) {
      if (outcome.type === 'chunk') stream.chunk(outcome.bytes, together, recorded)
      else if (outcome.type === 'error') stream.error(outcome.error, together, recorded)
      else throw new Error(`a server that listens has no ${outcome.type}`)
      return null
    },
    decode(record): readonly Delivery[] {
      const { kind } = record
      if (tape === null || origin.type === 'world') return []
      if (kind.kind === 'completion') return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
      if (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') return []
      const { effect } = origin
      decoder ??= new StreamDecoder(tape.payloads, () => ahead(effect))
      return decoder.decode(record, kind)
    },
    abandon: () => undefined,
  }
}

/** Every chunk is a separate JSON document: no secret crosses its edges, and nothing is held back. */
function wholeChunks(origin: Origin, tools: Tools) {
  const received = tools.received(origin)
  return {
    held: 0,
    push: (bytes: Uint8Array) => received.bytes(bytes),
    end: () => ({ chunks: [], decoded: false }),
  }
}
