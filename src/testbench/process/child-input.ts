/**
 * What the program sends to a subprocess of a replay, compared with the recording as concatenated bytes. Both
 * sides come piece by piece, either one first. A protocol over its pipes may compare messages instead, and
 * rename what the program receives.
 */
import { fieldsOf, type Label, label } from '../../base/index.ts'
import type { ChildStart } from '../../boundaries/child-contract.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import type { Outcome } from '../../boundaries/session.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { otherInput, otherMessage } from '../../fidelity/sentences.ts'
import type { ScrubbedBytes, ScrubbedJson } from '../../scrub/index.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import type { Tools } from '../session/family.ts'
import { type Difference, SentBytes } from '../session/sent-bytes.ts'
import { followsStdio, type ReplayFollower } from './stdio-follower.ts'
import { replayFollowers } from './stdio-followers.ts'

export type ChildInput = {
  /** The program has sent this. `bytes`: as it is written, under the ids of the recording. */
  send(
    stream: Label,
    clean: ScrubbedBytes,
    raw: Uint8Array,
  ): { readonly error: Error | null; readonly bytes: ScrubbedBytes }
  sendEnd(stream: Label, rest: Uint8Array): void
  asRecorded(stream: Label, clean: ScrubbedBytes): ScrubbedBytes
  /**
   * How long the next recorded chunk of the stream is; null if the tape has none before the next delivery.
   */
  nextCut(stream: Label): { readonly length: number; readonly held: number } | null
  /** A record of the tape that holds what was sent. */
  recorded(record: TapeRecord): void
  /** The recording had sent more by now: output that answers it must wait. */
  isBehind(): boolean
  /** The program does not send that: true if output need not wait for it any more. */
  skip(): boolean
  /** What is sent from now on is not compared. */
  leave(): void
  readonly hasLeft: boolean
  /** What the program receives for an outcome of stdout. */
  given(outcome: Outcome): readonly Outcome[] | null
  /** What the tape of a run that has left its own has for the outcome given last; null if it is unchanged. */
  kept(outcome: Outcome): Outcome | null
  leftovers(): readonly Divergence[]
  /** The order of chunks in `process_spawn` of a tape that counts bytes before they were scrubbed. */
  recordedOrder(): ScrubbedJson | null
}

type Compared = { readonly comparison: ReplayFollower; seq: number }

/** Streams that the program writes to. */
const OUT = /^(?:stdin|ipc|fd\d+|signals)$/
const STDOUT = label('stdout')

export type ChildInputOptions = {
  readonly id: number
  /** The number of the effect on the tape. */
  readonly effect: number
  readonly key: string
  readonly recordedChild: ChildStart
}

export function childInput({ id, effect, key, recordedChild }: ChildInputOptions, tools: Tools): ChildInput {
  const { tape } = tools
  if (tape === null) throw new Error('there is no tape to compare with')
  const streams = new Map<string, Compared>()
  let hasLeft = false
  /** Streams that the program had ended by now when recorded, and those that it has ended. */
  const recordedEnds = new Set<string>()
  const ends = new Set<string>()

  const comparisonOf = (stream: string): ReplayFollower => {
    const bytes = new SentBytes()
    if (stream !== 'stdin' || !followsStdio(recordedChild)) return bytes
    const lines = tape.index.sentLines(effect)
    const mcp =
      lines === null
        ? null
        : { lines, moved: tape.moved, textOf: (at: number) => tape.index.sentText(effect, at) }
    for (const make of replayFollowers) {
      const follower = make({ child: recordedChild, bytes, mcp })
      if (follower !== null) return follower
    }
    return bytes
  }

  const streamOf = (name: string): Compared => {
    const known = streams.get(name) ?? { comparison: comparisonOf(name), seq: 0 }
    streams.set(name, known)
    return known
  }

  const live = (stream: Label, clean: Uint8Array, raw: Uint8Array): Error | null => {
    const { comparison, seq } = streamOf(stream)
    const difference = comparison.live(clean, raw)
    let error: Error | null = null
    for (const each of difference === null ? [] : [difference, ...(difference.also ?? [])]) {
      const divergence = tools.diverge(divergenceOf(stream, seq, key, each))
      if (each.answer === undefined) error ??= divergenceError(divergence)
      else for (const outcome of chunk(each.answer(divergence))) tools.deliver(id, outcome)
    }
    return error
  }

  const asRecorded = (stream: Label, clean: ScrubbedBytes): ScrubbedBytes => {
    const renamed = streams.get(stream)?.comparison.sentAsRecorded?.() ?? null
    return renamed === null ? clean : tools.scrubber.bytes(renamed, 'sent')
  }

  return {
    send(stream, clean, raw) {
      const error = live(stream, clean, raw)
      return { error, bytes: asRecorded(stream, clean) }
    },
    asRecorded,
    sendEnd(stream, rest) {
      ends.add(stream)
      if (streams.has(stream)) live(stream, rest, NOTHING)
    },
    nextCut(stream) {
      const next = tape.next(
        (kind) =>
          kind.kind === 'stream_chunk' &&
          kind.of === effect &&
          kind.direction === 'out' &&
          kind.stream === stream,
      )
      if (next === null || next.kind.kind !== 'stream_chunk') return null
      return { length: chunkBytes(next.kind.data), held: next.kind.held ?? 0 }
    },
    leave() {
      hasLeft = true
    },
    get hasLeft() {
      return hasLeft
    },
    recorded({ seq, kind }) {
      if (hasLeft) return
      if ((kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') || kind.stream === undefined) return
      if (kind.kind === 'stream_end' && kind.closedBy !== undefined) recordedEnds.add(kind.stream)
      const part =
        kind.kind === 'stream_chunk' ? (kind.direction === 'out' ? kind.data : undefined) : kind.tail
      if (part === undefined || !OUT.test(kind.stream)) return
      const to = streamOf(kind.stream)
      to.seq = seq
      const difference = to.comparison.recorded(tape.payloads(part))
      if (difference === null) return
      const error = divergenceError(tools.diverge(divergenceOf(kind.stream, seq, key, difference)))
      tools.deliver(id, { type: 'error', stream: kind.stream, error: errorFacts(error) })
    },
    isBehind() {
      if (hasLeft) return false
      // A run that has left its tape may end its input at any time: what followed that end waits for it.
      if (tools.mayDiffer()) for (const stream of recordedEnds) if (!ends.has(stream)) return true
      for (const { comparison } of streams.values()) if (comparison.isBehind()) return true
      return false
    },
    skip: () => [...streams.values()].some(({ comparison }) => comparison.skip?.() === true),
    given(outcome) {
      if (!('stream' in outcome) || outcome.stream !== STDOUT || !followsStdio(recordedChild)) return null
      const { comparison } = streamOf('stdin')
      if (comparison instanceof SentBytes) return null
      if (outcome.type === 'chunk') return chunk(comparison.received(outcome.bytes))
      return [...chunk(comparison.rest?.() ?? NOTHING), outcome]
    },
    kept(outcome) {
      const bytes = tools.mayDiffer() ? streamOf('stdin').comparison.kept?.() : undefined
      return outcome.type !== 'chunk' || bytes === undefined ? null : { ...outcome, bytes }
    },
    leftovers: () =>
      [...streams].flatMap(([stream, { comparison, seq }]) => {
        const difference = comparison.leftover()
        return difference === null ? [] : [divergenceOf(stream, seq, key, difference)]
      }),
    recordedOrder() {
      if (hasFeature(tape.header, 'scrubbedOrder')) return null
      const spawn = tape.next((kind) => kind.kind === 'process_spawn' && fieldsOf(kind.io).effect === effect)
      const order = spawn?.kind.kind === 'process_spawn' ? fieldsOf(spawn.kind.io).order : undefined
      return order === undefined ? null : tools.received({ type: 'tape', effect }).value(order)
    },
  }
}

function divergenceOf(stream: string, seq: number, key: string, difference: Difference): Divergence {
  const isMessage = difference.path !== undefined
  return isMessage ? otherMessage(seq, key, difference) : otherInput(seq, stream, key, difference)
}

const NOTHING = new Uint8Array()

function chunk(bytes: Uint8Array): Outcome[] {
  return bytes.byteLength === 0 ? [] : [{ type: 'chunk', stream: STDOUT, bytes }]
}
