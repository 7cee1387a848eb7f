/**
 * The second recording of a foreign tape. The session records what it delivered in our own kinds. This writes
 * each record as the kind that the foreign tape has for it, from what was delivered, and drops the rest. What
 * a replay cannot observe (durations, latencies, the spelling of a path, the name of a server) is taken from
 * the recorded tape.
 *
 * Records are written in the order of the tape, although effects may end in another order.
 */
import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  jsonOf,
  textOrNull,
} from '../../../base/index.ts'
import { recordedAnswer } from '../../../llm/recorded-answer.ts'
import type { Scrubbed, Scrubber } from '../../../scrub/index.ts'
import { fromDisk } from '../../../scrub/scrubbed.ts'
import type { Payload, RecordKind, TapeRecord, TapeRecorder } from '../../../tape/index.ts'
import type { TapePayloads } from '../../../tape/tape-payloads.ts'
import type { ServedClock } from '../second-recording.ts'
import type { ForeignRecord } from './foreign-records.ts'
import { withCode } from './mcp-calls.ts'

export type ForeignRecorder = {
  readonly recorder: TapeRecorder
  /** The next record of the session is this one. */
  servesNext(record: ForeignRecord): void
  /** The effect is served by this record. `unseen`: output of a subprocess that no pipe leads to. */
  serves(effect: number, record: ForeignRecord, unseen?: ReadonlySet<Output>): void
  /** Calls back with what the program sends to a subprocess; null for the end of the stream. */
  onSent(listener: (effect: number, stream: string, bytes: Uint8Array | null) => void): void
  /** Writes a record that no program requests unchanged. */
  copies(record: TapeRecord): void
  /** Writes the rest, in order. */
  finish(): void
}

export type Output = 'stdout' | 'stderr'

type Served = { readonly record: ForeignRecord; readonly unseen: ReadonlySet<Output> }

const NONE: ReadonlySet<Output> = new Set()

export type ForeignRecorderOptions = {
  readonly inner: TapeRecorder
  readonly clock: ServedClock
  readonly scrubber: Scrubber
  readonly payloads: TapePayloads
}

export function foreignRecorder({
  inner,
  clock,
  scrubber,
  payloads,
}: ForeignRecorderOptions): ForeignRecorder {
  const byEffect = new Map<number, Served[]>()
  /** Numbers of records that the program has used and that are not written yet, in order. */
  const unwritten: number[] = []
  const ready = new Map<number, { readonly record: TapeRecord; readonly kind: Scrubbed<RecordKind> }>()
  let next: Served | null = null
  let sent: (effect: number, stream: string, bytes: Uint8Array | null) => void = () => undefined

  const expect = (record: TapeRecord): void => {
    const at = unwritten.findIndex((seq) => seq > record.seq)
    unwritten.splice(at < 0 ? unwritten.length : at, 0, record.seq)
    clock.set({ ...record, scrubbed: record.scrubbed ?? 0 })
  }

  const write = (isLast: boolean): void => {
    while (unwritten.length > 0) {
      const seq = unwritten[0] ?? 0
      const found = ready.get(seq)
      if (found === undefined && !isLast) return
      unwritten.shift()
      ready.delete(seq)
      if (found === undefined) continue
      clock.set({ ...found.record, scrubbed: 0 })
      clock.inPhase(found.record.phase, () => void inner.record(found.kind))
    }
  }

  const servedFor = (kind: RecordKind): Served | null => {
    const effect = effectOf(kind)
    if (effect !== null) {
      const queue = byEffect.get(effect)
      const first = queue?.[0]
      if (first === undefined || !isSameSort(kind, first.record)) return null
      queue?.shift()
      return first
    }
    if (next === null || !isSameSort(kind, next.record)) return null
    const served = next
    next = null
    return served
  }

  /** The payload of the foreign tape. If a secret would be written with it, only its name is. */
  const copied = (payload: Payload): Scrubbed<Payload> => {
    const bytes = payloads(payload)
    const clean = scrubber.bytes(bytes, 'received')
    if (Buffer.compare(clean, bytes) === 0) return inner.payloadFromBytes(clean)
    return fromDisk<Payload>({ form: 'cas', contentHash: payload.contentHash, lenBytes: bytes.byteLength })
  }

  const jsonIn = (payload: Payload): Json => jsonOf(textOrNull(payloads(payload)) ?? '') ?? null

  const translated = (
    kind: Scrubbed<RecordKind>,
    scrubbed: number,
    { record, unseen }: Served,
  ): Scrubbed<RecordKind> | null => {
    const recorded = record.kind
    switch (recorded.kind) {
      case 'clock_read':
        return kind.kind === 'clock_read'
          ? { kind: 'clock_read', source: recorded.source, valueMs: kind.valueMs }
          : null
      case 'clock_sleep':
        return { kind: 'clock_sleep', durationMs: recorded.durationMs }
      case 'file_read':
      case 'file_write': {
        if (kind.kind !== recorded.kind) return null
        // A secret was replaced: the hash of the program's own bytes was compared when it was served.
        const { contentHash, lenBytes } = scrubbed > 0 ? recorded : kind
        return { kind: recorded.kind, path: fromDisk<string>(recorded.path), contentHash, lenBytes }
      }
      case 'file_delete':
        return { kind: 'file_delete', path: fromDisk<string>(recorded.path) }
      case 'process_spawn': {
        if (kind.kind !== 'process_spawn') return null
        const { program, args, cwd, durationMs } = fromDisk<typeof recorded>(recorded)
        const output = (name: Output, live: Scrubbed<Payload>, then: Payload): Scrubbed<Payload> =>
          unseen.has(name) || scrubbed > 0 ? copied(then) : live
        return {
          kind: 'process_spawn',
          program,
          args,
          cwd,
          // Harn writes −1 for a signal; a program sees 255.
          exitCode: (recorded.exitCode & 0xff) === (kind.exitCode & 0xff) ? recorded.exitCode : kind.exitCode,
          durationMs,
          stdoutPayload: output('stdout', kind.stdoutPayload, recorded.stdoutPayload),
          stderrPayload: output('stderr', kind.stderrPayload, recorded.stderrPayload),
        }
      }
      case 'llm_call': {
        if (kind.kind !== 'llm_call') return null
        const response = sameAnswer(jsonIn(recorded.response), jsonOfLive(kind.response))
          ? copied(recorded.response)
          : kind.response
        return { kind: 'llm_call', requestDigest: recorded.requestDigest, response }
      }
      case 'mcp_json_rpc': {
        if (kind.kind !== 'mcp_json_rpc') return null
        const isSame = sameResult(jsonIn(recorded.responsePayload), jsonOfLive(kind.responsePayload))
        const { server, method, requestDigest, latencyMs } = fromDisk<typeof recorded>(recorded)
        return {
          kind: 'mcp_json_rpc',
          server,
          method,
          requestDigest,
          responseDigest: isSame ? recorded.responseDigest : kind.responseDigest,
          latencyMs,
          requestPayload: copied(recorded.requestPayload),
          responsePayload: isSame ? copied(recorded.responsePayload) : kind.responsePayload,
        }
      }
    }
  }

  /** Payloads that the session has just made, by their hash. */
  const live = new Map<string, Uint8Array>()
  const jsonOfLive = (payload: Payload): Json => {
    const bytes = live.get(payload.contentHash)
    return payload.form === 'inline'
      ? (jsonOf(payload.text) ?? null)
      : (jsonOf(textOrNull(bytes ?? new Uint8Array()) ?? '') ?? null)
  }

  const recorder: TapeRecorder = {
    nextSeq: () => inner.nextSeq(),
    record(kind, scrubbed = 0) {
      if (kind.kind === 'divergence') return inner.record(kind, scrubbed)
      if (kind.kind === 'stream_chunk' && kind.direction === 'out' && kind.stream !== undefined)
        sent(kind.of, kind.stream, chunks.get(kind.data) ?? new Uint8Array())
      if (kind.kind === 'stream_end' && kind.stream === 'stdin') {
        if (kind.tail !== undefined) sent(kind.of, kind.stream, chunks.get(kind.tail) ?? new Uint8Array())
        sent(kind.of, kind.stream, null)
      }
      const served = servedFor(kind)
      const written = served === null ? null : translated(kind, scrubbed, served)
      live.clear()
      if (served !== null && written !== null)
        ready.set(served.record.seq, { record: served.record, kind: written })
      write(false)
      const { phase } = clock
      return {
        seq: inner.nextSeq(),
        phase: phase(),
        virtualTimeMs: clock.now(),
        monotonicMs: clock.monotonicMs(),
        kind,
      }
    },
    recordGrowing: (kind) => recorder.record(kind),
    join: () => null,
    settle: () => inner.settle(),
    payloadFromBytes(bytes, text) {
      const payload = inner.payloadFromBytes(bytes, text)
      if (payload.form === 'cas') live.set(payload.contentHash, bytes)
      return payload
    },
    payloadStream: () => inner.payloadStream(),
    chunkFromBytes(bytes) {
      const chunk = inner.chunkFromBytes(bytes)
      chunks.set(chunk, bytes)
      return chunk
    },
    snapshot: (header) => inner.snapshot(header),
  }
  const chunks = new WeakMap<object, Uint8Array>()

  return {
    recorder,
    servesNext(record) {
      next = { record, unseen: NONE }
      expect(record)
    },
    serves(effect, record, unseen = NONE) {
      byEffect.set(effect, [...(byEffect.get(effect) ?? []), { record, unseen }])
      expect(record)
    },
    copies(record) {
      expect(record)
      ready.set(record.seq, { record, kind: fromDisk<RecordKind>(record.kind) })
    },
    onSent(listener) {
      sent = listener
    },
    finish: () => write(true),
  }
}

/** The effect of a record of the session; null for a call that returned at once. */
function effectOf(kind: RecordKind): number | null {
  switch (kind.kind) {
    case 'timer_fire':
      return kind.id
    case 'clock_sleep':
    case 'file_read':
    case 'file_write':
    case 'file_delete':
      return kind.of ?? null
    case 'process_spawn': {
      const effect = isObject(kind.io) ? kind.io.effect : undefined
      return typeof effect === 'number' ? effect : (kind.of ?? null)
    }
    case 'llm_call':
    case 'mcp_json_rpc':
      return kind.wire ?? null
    default:
      return null
  }
}

function isSameSort(kind: RecordKind, { kind: recorded }: TapeRecord): boolean {
  return kind.kind === recorded.kind || (kind.kind === 'timer_fire' && recorded.kind === 'clock_sleep')
}

/**
 * What the program received of an answer; reasons to stop and similar values have other names in each API.
 */
function sameAnswer(recorded: Json, live: Json): boolean {
  if (!isObject(recorded) || !isObject(live)) return false
  return canonicalJson(givenOf(recorded)) === canonicalJson(givenOf(live))
}

function givenOf(response: JsonObject): Json {
  const { text, thinking, calls } = recordedAnswer(response)
  return { text, thinking, calls: calls.map(({ name, arguments: given }) => ({ name, given })) }
}

/** The id of an answer is the client's own. */
function sameResult(recorded: Json, live: Json): boolean {
  if (!isObject(recorded) || !isObject(live)) return false
  const { id: _then, ...then } = recorded
  const { id: _now, ...now } = live
  // A failure of the transport is delivered to the client with a code.
  const given = isObject(then.error) ? { ...then, error: withCode(then.error) } : then
  return canonicalJson(given) === canonicalJson(now)
}
