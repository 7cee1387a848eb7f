/**
 * A subprocess as records, while it runs: every chunk of each of its streams in the order in which they crossed, its end, and, when its streams have
 * ended too, one `process_spawn` that sums it up. Memory does not grow with what it prints.
 */
import { type Json, type Label, label } from '../../base/index.ts'
import type { ChildSide, ChildStart, ErrorFacts, Outcome } from '../../boundaries/session.ts'
import { monotonicMs } from '../../real/clock.ts'
import type { Scrubbed, ScrubbedBytes, ScrubbedJson, Scrubber, Side, StreamScrubber } from '../../scrub/index.ts'
import { noScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { PayloadStream, RecordKind, TapeRecorder } from '../../tape/index.ts'
import { stdinScrubber } from '../mcp/line-scrubber.ts'
import type { OutcomeWriter } from '../records/outcome-writer.ts'
import { followsStdio } from './stdio-follower.ts'
import { recordFollowers } from './stdio-followers.ts'

export type ChildRecords = OutcomeWriter & {
  /** What `effect_start` says of it. */
  readonly request: ScrubbedJson
  readonly side: ChildSide
  /** Whether it may say something without being told anything more. */
  isBusy(): boolean
}

/** Once the session has ended nothing is recorded any more. */
export function unlessEnded(side: ChildSide, ended: () => boolean): Pick<ChildSide, 'send' | 'sendEnd'> {
  return {
    send: (stream, bytes) => (ended() ? null : side.send(stream, bytes)),
    sendEnd: (stream) => void (ended() || side.sendEnd(stream)),
  }
}

const BY_PROGRAM = label('program')
/** The order of so many chunks stands in `process_spawn`; the chunks themselves are on the tape in any case. */
const MAX_ORDER = 200

type Stream = { readonly name: Label; readonly scrub: StreamScrubber; readonly direction: 'in' | 'out'; n: number; ended: boolean }

export function childRecords(id: number, child: ChildStart, recorder: TapeRecorder, scrubber: Scrubber): ChildRecords {
  const streams = new Map<string, Stream>()
  const payloads: Record<string, PayloadStream> = {}
  const followers = followsStdio(child) ? recordFollowers.flatMap((make) => make({ id, child, recorder, scrubber }) ?? []) : []
  const startedAt = monotonicMs()
  const order: ScrubbedJson[] = []
  let crossed = 0
  let nowMs = 0
  let isOver = false
  /** Whether it can be told more, and whether it has been told something that it has not answered. */
  let isListening = child.stdio[0] === 'pipe' || child.stdio.includes('channel')
  let isAsked = true
  let exit: { readonly code: number; readonly signal: Label | null; readonly durationMs: number } | null =
    child.errno === 0 ? null : { code: child.errno, signal: null, durationMs: 0 }

  const record = (makeKind: () => Scrubbed<RecordKind>): void => {
    const before = scrubber.hits
    const kind = makeKind()
    nowMs = recorder.record(kind, scrubber.hits - before).monotonicMs
  }

  const streamOf = (name: Label, direction: 'in' | 'out'): Stream => {
    const known = streams.get(`${direction} ${name}`)
    if (known !== undefined) return known
    const side: Side = direction === 'in' ? 'received' : 'sent'
    const made: Stream = {
      name,
      direction,
      scrub: name === 'stdin' && followsStdio(child) ? stdinScrubber(scrubber) : scrubber.stream(side),
      n: 0,
      ended: false,
    }
    streams.set(`${direction} ${name}`, made)
    return made
  }

  const passed = (stream: Stream, bytes: ScrubbedBytes): void => {
    const { name } = stream
    if (!SUMMED.has(name)) return
    payloads[name] ??= recorder.payloadStream()
    payloads[name].add(bytes)
  }

  /** Those who follow hear of bytes when their record has been written. */
  const follow = ({ name, direction }: Stream, bytes: ScrubbedBytes): void => {
    if (bytes.byteLength === 0) return
    if (direction === 'out' && name === 'stdin') for (const follower of followers) follower.sent(bytes, nowMs)
    if (direction === 'in' && name === 'stdout') for (const follower of followers) follower.received(bytes, nowMs)
  }

  const chunk = (stream: Stream, bytes: Uint8Array): void => {
    let clean = noScrubbedBytes
    record(() => {
      clean = stream.scrub.push(bytes)
      passed(stream, clean)
      crossed += 1
      if (order.length < MAX_ORDER) order.push([stream.name, bytes.byteLength])
      const kind = { kind: 'stream_chunk', of: id, n: stream.n, direction: stream.direction, data: recorder.chunkFromBytes(clean) } as const
      stream.n += 1
      return { ...kind, ...(stream.scrub.held === 0 ? {} : { held: stream.scrub.held }), stream: stream.name }
    })
    follow(stream, clean)
  }

  const end = (stream: Stream, error: ScrubbedJson, closedBy: Label | null): void => {
    if (stream.ended) return
    stream.ended = true
    let rest = noScrubbedBytes
    record(() => {
      rest = stream.scrub.end()
      passed(stream, rest)
      return {
        kind: 'stream_end',
        of: id,
        error,
        ...(rest.byteLength === 0 ? {} : { tail: recorder.chunkFromBytes(rest) }),
        ...(closedBy === null ? {} : { closedBy }),
        stream: stream.name,
      }
    })
    follow(stream, rest)
  }

  const failed = (name: Label, error: ErrorFacts): void => {
    const facts = scrubber.value<Json>(JSON.parse(JSON.stringify(error)), 'received')
    const stream = streamOf(name, name === 'stdin' ? 'out' : 'in')
    // The side that the program had ended already has its end on the tape; the failure stands beside it.
    if (stream.ended) record(() => ({ kind: 'stream_end', of: id, error: facts, stream: name }))
    else end(stream, facts, null)
  }

  const sumUp = (): void => {
    for (const follower of followers) follower.ended()
    if (exit === null) {
      for (const payload of Object.values(payloads)) payload.drop()
      return
    }
    const { code, signal, durationMs } = exit
    const payloadOf = (name: string) => (payloads[name] ?? recorder.payloadStream()).end()
    record(() => ({
      kind: 'process_spawn',
      program: scrubber.text(child.program, 'sent'),
      args: scrubber.argv(child.args),
      cwd: child.cwd === null ? null : scrubber.text(child.cwd, 'sent'),
      // Upstream's word for a child that a signal ended.
      exitCode: signal === null ? code : -1,
      durationMs,
      stdoutPayload: payloadOf('stdout'),
      stderrPayload: payloadOf('stderr'),
      ...(payloads.stdin === undefined ? {} : { stdin: payloads.stdin.end() }),
      ...(signal === null ? {} : { signal }),
      io: { effect: id, ...(crossed > MAX_ORDER ? {} : { order }) },
    }))
  }

  return {
    isBusy: () => exit === null && (!isListening || isAsked),
    request: startOf(child, scrubber),
    write(outcome) {
      writeOutcome(outcome)
    },
    abandon() {
      if (isOver) return
      isOver = true
      for (const stream of streams.values()) if (!stream.ended && stream.scrub.held > 0) end(stream, null, BY_PROGRAM)
      sumUp()
    },
    side: {
      pid: child.pid,
      errno: child.errno,
      send(name, bytes) {
        isAsked = true
        chunk(streamOf(name, 'out'), bytes)
        return null
      },
      sendEnd(name) {
        isListening = false
        end(streamOf(name, 'out'), null, BY_PROGRAM)
      },
    },
  }

  function writeOutcome(outcome: Outcome): void {
    const name = 'stream' in outcome && outcome.stream !== undefined ? outcome.stream : label('stdout')
    switch (outcome.type) {
      case 'chunk':
        isAsked = false
        chunk(streamOf(name, 'in'), outcome.bytes)
        return
      case 'end':
        end(streamOf(name, 'in'), null, null)
        return
      case 'error':
        failed(name, outcome.error)
        return
      case 'completion':
        recorder.record({ kind: 'completion', of: id })
        return
      case 'exit':
        exit = { code: outcome.code, signal: outcome.signal, durationMs: Math.max(0, Math.round(monotonicMs() - startedAt)) }
        recorder.record({ kind: 'process_exit', of: id, ...exit })
        return
      default:
        throw new Error(`a subprocess cannot say ${outcome.type}`)
    }
  }
}

const SUMMED: ReadonlySet<string> = new Set(['stdin', 'stdout', 'stderr'])

function startOf(child: ChildStart, scrubber: Scrubber): ScrubbedJson {
  const env = Object.fromEntries(Object.entries(child.env).map(([name, value]) => [name, scrubber.env(name, value)]))
  return {
    program: scrubber.text(child.program, 'sent'),
    args: [...scrubber.argv(child.args)],
    cwd: child.cwd === null ? null : scrubber.text(child.cwd, 'sent'),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    stdio: child.stdio.map((use) => scrubber.text(use, 'sent')),
    ...scrubber.value(child.options, 'sent'),
    ...(child.errno === 0 ? {} : { errno: child.errno }),
  }
}
