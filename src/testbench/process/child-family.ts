/**
 * Subprocesses. Program, arguments and working directory are the key; options and environment are compared
 * when one is started.
 */
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import { otherStart } from '../../fidelity/sentences.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { type SpawnKey, spawnKey } from '../keys/spawn-key.ts'
import type { Delivery } from '../session/delivery.ts'
import type {
  CallFamily,
  Description,
  EffectCode,
  EffectFamily,
  Origin,
  SessionFamily,
  Tools,
  Unmatched,
} from '../session/family.ts'
import { StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { type ChildEncoder, childEncoder } from './child-code.ts'
import { type ChildInput, childInput } from './child-input.ts'
import { asRecordedStart, recordedStart, startOf } from './child-start.ts'
import { ServerHandover } from './server-handover.ts'
import { knownOfStart, startDifference } from './start-difference.ts'

export const childFamily: EffectFamily = {
  name: 'process',
  takes: ({ child }) => child !== undefined,
  create: (tools, calls) => children(tools, calls),
}

const NO_CHILD: ChildStart = {
  program: '',
  args: [],
  cwd: null,
  env: {},
  stdio: [],
  options: {},
  pid: null,
  errno: 0,
}
/** A pid that no machine gives: a foreign tape has none. */
const FIRST_FOREIGN_PID = 10_000_000

function children(tools: Tools, calls: CallFamily): SessionFamily {
  const { scrubber, tape } = tools
  const running = new Set<ChildEncoder>()
  const inputs = new Set<ChildInput>()

  const follow = (code: ChildEncoder): ChildEncoder => {
    running.add(code)
    return code
  }

  const describe = (id: number, child: ChildStart): Description => {
    const key = spawnKey(child, scrubber, tape?.moved)
    const recordedOf = (origin: Origin): ChildStart => {
      const start = origin.type === 'world' ? undefined : tape?.index.childStart(origin.effect)
      return recordedStart(start?.request, start?.pid ?? null)
    }
    const written = (origin: Origin): ChildStart =>
      origin.type === 'world' || tape === null
        ? withPid(child, origin)
        : asRecordedStart(child, recordedOf(origin), tape.moved)
    return {
      keys: [key.key, key.anywhere],
      start(origin) {
        const start = written(origin)
        const old =
          origin.type === 'world' || tape === null || hasFeature(tape.header, 'optionsCount')
            ? undefined
            : tape.index.childStart(origin.effect)
        if (old !== undefined)
          return {
            request: tools.received(origin).value(old.request),
            ...(start.pid === null ? {} : { pid: start.pid }),
          }
        return { request: startOf(start, scrubber), ...(start.pid === null ? {} : { pid: start.pid }) }
      },
      open(origin) {
        const start = written(origin)
        if (origin.type === 'world')
          return withoutEnd(follow(childEncoder(id, start, origin, tools, null)), running)
        check(child, origin.effect, key.key)
        const input = childInput(
          { id, effect: origin.effect, key: key.key, recordedChild: recordedOf(origin) },
          tools,
        )
        inputs.add(input)
        const encoder = follow(childEncoder(id, start, origin, tools, input))
        const code = withoutEnd(encoder, running)
        const decode = decoder(origin.effect, input, tools)
        const taped = {
          isBehind: () => input.isBehind(),
          skipSent: () => input.skip(),
          recordedSent: (record: TapeRecord) => input.recorded(record),
        }
        const isServer = (tape?.index.sentLines(origin.effect) ?? null) !== null
        if (!isServer) return { ...code, ...taped, decode }
        const server = new ServerHandover()
        return {
          ...code,
          ...taped,
          child: server.watched(encoder.child),
          decode: (record) => server.passed(decode(record)),
          leaveTape() {
            input.leave()
            server.leave()
          },
        }
      },
      unmatched: () => foreign(id, child, key),
    }
  }

  /** Throws the divergence if it is started with other options than the recorded one. */
  const check = (child: ChildStart, effect: number, key: string): void => {
    const start = tape?.index.childStart(effect)
    if (start === undefined || tape === null || !hasFeature(tape.header, 'optionsCount')) return
    const difference = startDifference(start.request, child, scrubber, tape.moved, knownOfStart(tape.header))
    if (difference !== null) throw divergenceError(tools.diverge(otherStart(start.seq, key, difference)))
  }

  /** One that only a `process_spawn` describes: its outcomes are in no order but their own. */
  const foreign = (id: number, child: ChildStart, key: SpawnKey): Unmatched | null => {
    const taken = tape?.foreign.take(key) ?? null
    if (taken === null || tape === null) return null
    const side = { pid: FIRST_FOREIGN_PID + taken.seq, errno: 0, send: () => null, sendEnd: () => undefined }
    const given = {
      answer: tape.foreign.answer(taken),
      recorded: { at: taken.record },
      isForeign: true,
    } as const
    calls.encode(given, { of: id }, undefined, undefined, key.key)
    return {
      code: { encode: () => null, abandon: () => undefined, child: side },
      outcomes: tape.foreign.outcomes(taken, child.stdio),
      isForeign: true,
    }
  }

  return {
    describe: (id, { options }) => describe(id, options.child ?? NO_CHILD),
    end() {
      for (const code of running) code.end()
      running.clear()
    },
    leftovers: () => [...inputs].flatMap((input) => input.leftovers()),
  }
}

/** One that a source plays has the pid that the source gives it. */
function withPid(child: ChildStart, origin: Origin): ChildStart {
  const played = origin.type === 'world' ? origin.played : undefined
  return played === undefined ? child : { ...child, pid: played.pid }
}

function withoutEnd(encoder: ChildEncoder, running: Set<ChildEncoder>): EffectCode {
  return {
    isBusy: () => encoder.isBusy?.() === true,
    encode: (delivery) => encoder.encode(delivery),
    abandon() {
      running.delete(encoder)
      encoder.abandon()
    },
    child: encoder.child,
  }
}

/** Reads the deliveries of one recorded subprocess. */
function decoder(effect: number, input: ChildInput, { tape }: Tools): (record: TapeRecord) => Delivery[] {
  if (tape === null) return () => []
  const streams = new Map<string, StreamDecoder>()
  const streamOf = (name: string): StreamDecoder => {
    const known =
      streams.get(name) ?? new StreamDecoder(tape.payloads, () => partsOf(tape.ahead(), effect, name))
    streams.set(name, known)
    return known
  }
  return (record) => {
    const { kind } = record
    switch (kind.kind) {
      case 'stream_chunk':
      case 'stream_end':
        return streamOf(kind.stream ?? '')
          .decode(record, kind)
          .flatMap((delivery): Delivery | readonly [] => {
            const given = input.given(delivery.outcome)
            if (given === null) return delivery
            const kept = input.kept(delivery.outcome)
            if (kept?.type !== 'chunk') return { ...delivery, given }
            // An answer without a call is neither delivered nor recorded.
            if (kept.bytes.byteLength > 0) return { ...delivery, outcome: kept, given }
            return given.length === 0 ? [] : { ...delivery, given }
          })
      case 'process_exit':
        return [
          {
            outcome: { type: 'exit', code: kind.code, signal: kind.signal },
            recorded: { at: record, durationMs: kind.durationMs },
          },
        ]
      case 'completion':
        return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
      default:
        return []
    }
  }
}

function* partsOf(records: Iterable<TapeRecord>, effect: number, stream: string): Generator<StreamPart> {
  for (const { kind } of records) {
    if (
      (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') ||
      kind.of !== effect ||
      (kind.stream ?? '') !== stream
    )
      continue
    if (kind.kind === 'stream_end' || kind.direction === 'in') yield kind
  }
}
