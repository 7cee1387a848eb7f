/**
 * A running subprocess as records: every chunk of each of its streams in the order in which they crossed, its
 * end, and, when its streams have ended too, one `process_spawn` as a summary. Memory does not grow with its
 * output.
 *
 * Decision 0121.
 */
import { type Label, label } from '../../base/index.ts'
import type { ChildSide, ChildStart } from '../../boundaries/child-contract.ts'
import type { ErrorFacts } from '../../boundaries/session.ts'
import { monotonicMs } from '../../real/clock.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedJson } from '../../scrub/index.ts'
import { concatScrubbed, noScrubbedBytes, sliceScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { PayloadStream, RecordKind } from '../../tape/index.ts'
import { stdinScrubber } from '../mcp/line-scrubber.ts'
import { jsonOf } from '../records/answers.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type { EffectCode, Origin, Tools } from '../session/family.ts'
import { type ByteLane, laneOf } from '../session/received.ts'
import type { ChildInput } from './child-input.ts'
import { followsStdio } from './stdio-follower.ts'
import { recordFollowers } from './stdio-followers.ts'

const BY_PROGRAM = label('program')
const STDOUT = label('stdout')
/**
 * Up to this many chunks, `process_spawn` stores their order; the chunks themselves are on the tape in any
 * case.
 */
const MAX_ORDER = 200
const SUMMED: ReadonlySet<string> = new Set(['stdin', 'stdout', 'stderr'])

type Stream = {
  readonly name: Label
  readonly lane: ByteLane
  readonly direction: 'in' | 'out'
  n: number
  ended: boolean
  /** In a replay: what the program has sent and no record contains yet. */
  unwritten: ScrubbedBytes
  /** Writes of the program without a record yet. */
  expectedWrites: number
}

type Exit = { readonly code: number; readonly signal: Label | null; readonly durationMs: number }

export type ChildEncoder = Omit<EffectCode, 'decode'> & { readonly child: ChildSide; end(): void }

/** `child` as it is written; `input` compares what the program sends, in a replay. */
export function childEncoder(
  id: number,
  child: ChildStart,
  origin: Origin,
  tools: Tools,
  input: ChildInput | null,
): ChildEncoder {
  const { recorder, scrubber, tape } = tools
  const received = tools.received(origin)
  const streams = new Map<string, Stream>()
  const payloads: Record<string, PayloadStream> = {}
  const followers = followsStdio(child)
    ? recordFollowers.flatMap((make) => make({ id, child, recorder, scrubber }) ?? [])
    : []
  const startedAt = monotonicMs()
  const order: ScrubbedJson[] = []
  let crossed = 0
  let nowMs = 0
  let isOver = false
  /** Whether more can be sent to it, and whether it was sent something that it has not answered. */
  let isListening = child.stdio[0] === 'pipe' || child.stdio.includes('channel')
  let isRequested = true
  let exit: Exit | null = child.errno === 0 ? null : { code: child.errno, signal: null, durationMs: 0 }

  const write = (kind: Scrubbed<RecordKind>, before: number, recorded?: Recorded): void => {
    nowMs = recorder.record(kind, recorded?.at.scrubbed ?? scrubber.hits - before).monotonicMs
  }

  const streamOf = (name: Label, direction: 'in' | 'out'): Stream => {
    const known = streams.get(`${direction} ${name}`)
    if (known !== undefined) return known
    const lane =
      direction === 'in'
        ? received.stream()
        : laneOf(name === 'stdin' && followsStdio(child) ? stdinScrubber(scrubber) : scrubber.stream('sent'))
    const made: Stream = {
      name,
      direction,
      lane,
      n: 0,
      ended: false,
      unwritten: noScrubbedBytes,
      expectedWrites: 0,
    }
    streams.set(`${direction} ${name}`, made)
    return made
  }

  /** Adds to the summary, and passes the bytes to the followers, once the record is written. */
  const pass = ({ name, direction }: Stream, bytes: ScrubbedBytes): void => {
    if (bytes.byteLength === 0) return
    if (direction === 'out' && name === 'stdin') for (const follower of followers) follower.sent(bytes, nowMs)
    if (direction === 'in' && name === 'stdout')
      for (const follower of followers) follower.received(bytes, nowMs)
  }

  const sum = ({ name }: Stream, bytes: ScrubbedBytes): void => {
    if (!SUMMED.has(name)) return
    payloads[name] ??= recorder.payloadStream()
    payloads[name].add(bytes)
  }

  const writeChunk = (
    stream: Stream,
    bytes: ScrubbedBytes,
    held: number,
    before: number,
    recorded?: Recorded,
  ): void => {
    sum(stream, bytes)
    crossed += 1
    if (order.length < MAX_ORDER) order.push([stream.name, bytes.byteLength])
    const kind = {
      kind: 'stream_chunk',
      of: id,
      n: stream.n,
      direction: stream.direction,
      data: recorder.chunkFromBytes(bytes),
    } as const
    stream.n += 1
    write({ ...kind, ...(held === 0 ? {} : { held }), stream: stream.name }, before, recorded)
    pass(stream, bytes)
  }

  const receive = (stream: Stream, bytes: Uint8Array, recorded: Recorded | undefined): void => {
    const before = scrubber.hits
    const clean = stream.lane.push(bytes, recorded)
    if (recorded?.isPart !== true) writeChunk(stream, clean, stream.lane.held, before, recorded)
  }

  /** A replay splits sent bytes where the recording split them: only the bytes count, not the pieces. */
  const send = (stream: Stream, bytes: Uint8Array): Error | null => {
    const before = scrubber.hits
    const clean = stream.lane.push(bytes)
    if (input === null || input.hasLeft) {
      if (stream.unwritten.byteLength > 0)
        writeChunk(stream, takeUnwritten(stream, stream.unwritten.byteLength), 0, before)
      writeChunk(stream, clean, stream.lane.held, before)
      return null
    }
    const { error, bytes: sent } = input.send(stream.name, clean, bytes)
    stream.unwritten = concatScrubbed([stream.unwritten, sent])
    stream.expectedWrites += 1
    writeCuts(stream, before)
    if (stream.expectedWrites > 0 && input.nextCut(stream.name) === null) {
      stream.expectedWrites = 0
      writeChunk(stream, takeUnwritten(stream, stream.unwritten.byteLength), 0, before)
    }
    return error
  }

  /** Writes the sent bytes in the pieces of the recording, as far as possible. */
  const writeCuts = (stream: Stream, before: number): void => {
    for (
      let cut = input?.nextCut(stream.name) ?? null;
      cut !== null;
      cut = input?.nextCut(stream.name) ?? null
    ) {
      // An empty piece represents a write whose bytes are held back: one write, one such piece.
      if (cut.length > stream.unwritten.byteLength || (cut.length === 0 && stream.expectedWrites === 0))
        return
      stream.expectedWrites = Math.max(0, stream.expectedWrites - 1)
      writeChunk(stream, takeUnwritten(stream, cut.length), cut.held, before)
    }
  }

  const end = (stream: Stream, error: ScrubbedJson, closedBy: Label | null, recorded?: Recorded): void => {
    if (stream.ended) return
    stream.ended = true
    const before = scrubber.hits
    const last = concatScrubbed(stream.lane.end(recorded).chunks)
    if (stream.direction === 'out') input?.sendEnd(stream.name, last)
    stream.unwritten = concatScrubbed([stream.unwritten, input?.asRecorded(stream.name, last) ?? last])
    if (stream.expectedWrites > 0) writeCuts(stream, before)
    const rest = takeUnwritten(stream, stream.unwritten.byteLength)
    sum(stream, rest)
    const kind = {
      kind: 'stream_end',
      of: id,
      error,
      ...(rest.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(rest) }),
      ...(closedBy === null ? {} : { closedBy }),
      stream: stream.name,
    } as const
    write(kind, before, recorded)
    pass(stream, rest)
  }

  const failed = (name: Label, error: ErrorFacts, recorded: Recorded | undefined): void => {
    const facts = received.value(jsonOf(error))
    const stream = streamOf(name, name === 'stdin' ? 'out' : 'in')
    // A side that the program has ended already has its end on the tape; the failure is a separate record.
    if (stream.ended)
      write({ kind: 'stream_end', of: id, error: facts, stream: name }, scrubber.hits, recorded)
    else end(stream, facts, null, recorded)
  }

  const sumUp = (): void => {
    for (const follower of followers) follower.ended()
    if (exit === null) {
      for (const payload of Object.values(payloads)) payload.drop()
      return
    }
    const { code, signal, durationMs } = exit
    const payloadOf = (name: string) => (payloads[name] ?? recorder.payloadStream()).end()
    const before = scrubber.hits
    const ownTape =
      tape === null || origin.type === 'world'
        ? (child.ownTape?.() ?? null)
        : tape.index.childTape(origin.effect)
    const recordedOrder = tape === null || origin.type === 'world' ? null : (input?.recordedOrder() ?? null)
    const kind = {
      kind: 'process_spawn',
      program: scrubber.text(child.program, 'sent'),
      args: scrubber.argv(child.args),
      cwd: child.cwd === null ? null : scrubber.text(child.cwd, 'sent'),
      // Harn's value for a child that a signal ended.
      exitCode: signal === null ? code : -1,
      durationMs,
      stdoutPayload: payloadOf('stdout'),
      stderrPayload: payloadOf('stderr'),
      ...(payloads.stdin === undefined ? {} : { stdin: payloads.stdin.end() }),
      ...(signal === null ? {} : { signal }),
      io: { effect: id, ...(crossed > MAX_ORDER ? {} : { order: recordedOrder ?? order }) },
      ...(ownTape === null ? {} : { tape: scrubber.text(ownTape, 'sent') }),
    } as const
    write(kind, before)
  }

  const finish = (): void => {
    if (isOver) return
    isOver = true
    for (const stream of streams.values()) {
      if (stream.ended) continue
      if (stream.unwritten.byteLength > 0) writeChunk(stream, stream.unwritten, 0, scrubber.hits)
      stream.unwritten = noScrubbedBytes
      if (stream.lane.held > 0) end(stream, null, BY_PROGRAM)
    }
    sumUp()
  }

  const writeOutcome = ({ outcome, recorded }: Delivery): void => {
    const name = 'stream' in outcome && outcome.stream !== undefined ? outcome.stream : STDOUT
    switch (outcome.type) {
      case 'chunk':
        isRequested = false
        receive(streamOf(name, 'in'), outcome.bytes, recorded)
        return
      case 'end':
        end(streamOf(name, 'in'), null, null, recorded)
        return
      case 'error':
        failed(name, outcome.error, recorded)
        return
      case 'completion':
        recorder.record({ kind: 'completion', of: id })
        return
      case 'exit':
        exit = {
          code: outcome.code,
          signal: outcome.signal,
          durationMs: recorded?.durationMs ?? Math.max(0, Math.round(monotonicMs() - startedAt)),
        }
        recorder.record({ kind: 'process_exit', of: id, ...exit })
        return
      default:
        throw new Error(`a subprocess has no ${outcome.type}`)
    }
  }

  return {
    isBusy: () => exit === null && (!isListening || isRequested),
    encode(delivery) {
      writeOutcome(delivery)
      return null
    },
    abandon: finish,
    end: finish,
    child: {
      pid: child.pid,
      errno: child.errno,
      send(name, bytes) {
        isRequested = true
        return send(streamOf(name, 'out'), bytes)
      },
      sendEnd(name) {
        isListening = false
        end(streamOf(name, 'out'), null, BY_PROGRAM)
      },
    },
  }
}

function takeUnwritten(stream: Stream, length: number): ScrubbedBytes {
  const part = sliceScrubbedBytes(stream.unwritten, 0, length)
  stream.unwritten = sliceScrubbedBytes(stream.unwritten, length)
  return part
}
