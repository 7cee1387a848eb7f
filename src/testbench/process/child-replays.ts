/**
 * The subprocesses of a replay: which recorded one a live one is, what was told of it at once, and whether the program sends it what it sent when
 * recorded. What the tape has of the program's own bytes is heard of as the tape goes by; output waits until as much has been sent again.
 */
import { fieldsOf, type Json, type Label, label } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import type { Answer, ChildSide, ChildStart, Outcome } from '../../boundaries/session.ts'
import type { Scrubber, StreamScrubber } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeRecord } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import { divergenceError, type ReplayDivergence } from '../difference/divergence.ts'
import type { SpawnKey } from '../keys/spawn-key.ts'
import { stdinScrubber } from '../mcp/line-scrubber.ts'
import type { Delivery } from '../records/delivered-kinds.ts'
import type { ForeignSpawn } from '../tape-index/foreign-spawn.ts'
import type { ChildStarted, TapeIndex } from '../tape-index/tape-index.ts'
import { ForeignSpawns } from './foreign-spawns.ts'
import { type Difference, SentBytes } from './sent-bytes.ts'
import { startDifference, startDivergence } from './start-difference.ts'
import { followsStdio, type ReplayFollower } from './stdio-follower.ts'
import { replayFollowers } from './stdio-followers.ts'

export type ChildReplays = {
  /** Throws the divergence if it is started with other options than the recorded one. */
  checkStart(recordedId: number, child: ChildStart, key: string): void
  /** The same for one that is answered at once. */
  checkAnswered(record: TapeRecord, child: ChildStart, key: string): void
  /** The live side of a recorded subprocess. */
  join(recordedId: number, child: ChildStart, key: string): ChildSide
  /** The program is done with it. */
  closed(recordedId: number): void
  /** Hears of every record that is not handed out. */
  passed(record: TapeRecord): void
  /** True while the program has not sent what this outcome came after. */
  isBehind(recordedId: number): boolean
  /** What is given to the program in place of these outcomes. */
  outcomes(delivery: Delivery, outcomes: Outcome[]): Outcome[]
  /** One that only a `process_spawn` tells of; its outcomes are in no order but their own. */
  joinForeign(
    child: ChildStart,
    spawn: SpawnKey,
  ): { readonly recordedId: number; readonly side: ChildSide; readonly outcomes: readonly Outcome[] } | null
  answerForeign(spawn: SpawnKey): Answer | null
  /** What was sent more, or less, than when recorded. */
  leftovers(): readonly ReplayDivergence[]
  /** Foreign subprocesses that nobody asked for. */
  foreignLeft(): readonly ForeignSpawn[]
}

type Comparison = ReplayFollower
type Sent = { readonly comparison: Comparison; readonly scrub: StreamScrubber; seq: number }
type Joined = { readonly child: ChildStart; readonly key: string }

export type ReplayTools = {
  readonly index: TapeIndex
  readonly scrubber: Scrubber
  readonly payloads: TapePayloads
  readonly keep: (divergence: ReplayDivergence) => ReplayDivergence
  /** A path of this machine as the recording had it. */
  readonly moved: (text: string) => string
  /** Hands the program what stands nowhere on the tape. */
  readonly say: (recordedId: number, outcome: Outcome) => void
}

export function childReplays({ index, scrubber, payloads, keep, moved, say }: ReplayTools): ChildReplays {
  const joined = new Map<number, Joined>()
  const sent = new Map<number, Map<string, Sent>>()
  const isCounted = hasFeature(index.header, 'optionsCount')
  const foreign = new ForeignSpawns(index.foreignSpawns, scrubber, payloads)

  const sentTo = (id: number, stream: string): Sent => {
    const streams = sent.get(id) ?? new Map<string, Sent>()
    sent.set(id, streams)
    const known = streams.get(stream)
    if (known !== undefined) return known
    let scrub: StreamScrubber | null = null
    const made = {
      comparison: comparisonOf(index, id, stream, moved),
      get scrub() {
        scrub ??= scrubberOf(index, id, stream, scrubber)
        return scrub
      },
      seq: 0,
    }
    streams.set(stream, made)
    return made
  }

  const divergenceOf = (id: number, stream: string, seq: number, difference: Difference): ReplayDivergence => {
    const { where, expected, actual, path } = difference
    if (path !== undefined) return notOnTape(seq, joined.get(id)?.key ?? `#${id}`, difference)
    const what = `what the program sends to ${stream} of ${joined.get(id)?.key ?? `#${id}`}`
    const message = `Replay diverged at record ${seq}: ${what} differs from ${where} on\n  expected     ${expected}\n  got          ${actual}`
    return { seq, category: 'content', message, expected, actual, path: where }
  }

  const live = (id: number, stream: Label, bytes: Uint8Array, raw: Uint8Array): Error | null => {
    const { comparison, seq } = sentTo(id, stream)
    const difference = comparison.live(bytes, raw)
    let error: Error | null = null
    for (const each of difference === null ? [] : [difference, ...(difference.also ?? [])]) {
      const divergence = keep(divergenceOf(id, stream, seq, each))
      if (each.answer === undefined) error ??= divergenceError(divergence)
      else for (const outcome of chunk(each.answer(divergence))) say(id, outcome)
    }
    return error
  }

  const check = (recorded: Json | undefined, seq: number, child: ChildStart, key: string): void => {
    const difference = recorded === undefined || !isCounted ? null : startDifference(recorded, child, scrubber, moved)
    if (difference !== null) throw divergenceError(keep(startDivergence(seq, key, difference)))
  }

  return {
    checkStart(recordedId, child, key) {
      const start = index.childStart(recordedId)
      check(start?.request, start?.seq ?? 0, child, key)
    },
    checkAnswered({ seq, kind }, child, key) {
      if (kind.kind === 'process_spawn') check(kind.io, seq, child, key)
    },
    join(recordedId, child, key) {
      joined.set(recordedId, { child, key })
      const { pid, errno } = startFacts(index.childStart(recordedId))
      return {
        pid,
        errno,
        send: (stream, bytes) => live(recordedId, stream, sentTo(recordedId, stream).scrub.push(bytes), bytes),
        sendEnd(stream) {
          // Most are sent nothing, ever.
          const known = sent.get(recordedId)?.get(stream)
          if (known !== undefined) live(recordedId, stream, known.scrub.end(), NOTHING)
        },
      }
    },
    closed(recordedId) {
      // What may still be found to differ is kept until the end of the run.
      const streams = sent.get(recordedId)
      for (const { comparison } of streams?.values() ?? []) if (!(comparison instanceof SentBytes) || comparison.leftover() !== null) return
      sent.delete(recordedId)
    },
    passed({ seq, kind }) {
      const part = kind.kind === 'stream_chunk' && kind.direction === 'out' ? kind.data : kind.kind === 'stream_end' ? kind.tail : undefined
      if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.stream === undefined || part === undefined) return
      if (kind.kind === 'stream_end' && !OUT.test(kind.stream)) return
      const to = sentTo(kind.of, kind.stream)
      to.seq = seq
      const difference = to.comparison.recorded(payloads(part))
      if (difference === null) return
      const error = divergenceError(keep(divergenceOf(kind.of, kind.stream, seq, difference)))
      say(kind.of, { type: 'error', stream: kind.stream, error: errorFacts(error) })
    },
    isBehind(recordedId) {
      for (const { comparison } of sent.get(recordedId)?.values() ?? []) if (comparison.isBehind()) return true
      return false
    },
    outcomes({ kind }, outcomes) {
      if (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') return outcomes
      if (kind.stream !== 'stdout') return outcomes
      const { comparison } = sentTo(kind.of, 'stdin')
      return outcomes.flatMap((outcome): Outcome[] => {
        if (outcome.type === 'chunk') return chunk(comparison.received(outcome.bytes))
        return [...chunk(comparison.rest?.() ?? NOTHING), outcome]
      })
    },
    joinForeign(child, spawn) {
      const taken = foreign.take(spawn)
      if (taken === null) return null
      const recordedId = -1 - taken.seq
      const side: ChildSide = { pid: FIRST_FOREIGN_PID + taken.seq, errno: 0, send: () => null, sendEnd: () => undefined }
      return { recordedId, side, outcomes: foreign.outcomes(taken, child.stdio) }
    },
    answerForeign(spawn) {
      const taken = foreign.take(spawn)
      return taken === null ? null : foreign.answer(taken)
    },
    foreignLeft: () => foreign.left(),
    leftovers: () =>
      [...sent].flatMap(([id, streams]) =>
        [...streams].flatMap(([stream, { comparison, seq }]) => {
          const difference = joined.has(id) ? comparison.leftover() : null
          return difference === null ? [] : [divergenceOf(id, stream, seq, difference)]
        }),
      ),
  }
}

/** A pid that no machine gives: the foreign tape has none. */
const FIRST_FOREIGN_PID = 10_000_000

/** Streams that the program writes to. */
const OUT = /^(?:stdin|ipc|fd\d+|signals)$/

function comparisonOf(index: TapeIndex, id: number, stream: string, moved: (text: string) => string): Comparison {
  const bytes = new SentBytes()
  const child = recordedChild(index.childStart(id))
  if (stream !== 'stdin' || !followsStdio(child)) return bytes
  const lines = index.sentLines(id)
  const mcp = lines === null ? null : { lines, moved, textOf: (at: number) => index.sentText(id, at) }
  for (const make of replayFollowers) {
    const follower = make({ child, bytes, mcp })
    if (follower !== null) return follower
  }
  return bytes
}

/** As the recording scrubbed it. */
function scrubberOf(index: TapeIndex, id: number, stream: string, scrubber: Scrubber): StreamScrubber {
  return stream === 'stdin' && followsStdio(recordedChild(index.childStart(id))) ? stdinScrubber(scrubber) : scrubber.stream('sent')
}

/** A message of a protocol that has no counterpart on the tape. */
function notOnTape(seq: number, key: string, { where, expected, actual, path = null, field }: Difference): ReplayDivergence {
  const values = field === undefined ? '' : `\n    recorded   ${field.expected}\n    now        ${field.actual}`
  const closest = path === null ? '' : `\n  closest      ${expected}   differs at ${path}${values}`
  const message = `Replay diverged at record ${seq}: ${where} to ${key} is ${actual}, and the tape has ${expected}${closest}`
  return { seq, category: 'unmatched', message, expected, actual, path }
}

const STDOUT = label('stdout')
const NOTHING = new Uint8Array()

function chunk(bytes: Uint8Array): Outcome[] {
  return bytes.byteLength === 0 ? [] : [{ type: 'chunk', stream: STDOUT, bytes }]
}

function startFacts(start: ChildStarted | undefined): { readonly pid: number | null; readonly errno: number } {
  const { errno } = fieldsOf(start?.request)
  return { pid: start?.pid ?? null, errno: typeof errno === 'number' ? errno : 0 }
}

/** What `effect_start` says of a subprocess, of a tape that may hold anything. */
function recordedChild(start: ChildStarted | undefined): ChildStart {
  const { program, args, cwd, stdio } = fieldsOf(start?.request)
  return {
    program: typeof program === 'string' ? program : '',
    args: textsOf(args),
    cwd: typeof cwd === 'string' ? cwd : null,
    env: {},
    options: {},
    stdio: textsOf(stdio),
    ...startFacts(start),
  }
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}
