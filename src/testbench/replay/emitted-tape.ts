/**
 * The tape of a replay: what the program asked for this time, and what it was given, in the order of this run. Compared with the recorded one it says
 * record by record whether the two runs are the same. Times are those of the records served, since a replay has none of its own.
 */
import type { Json, Label } from '../../base/index.ts'
import type { ClockValue } from '../../boundaries/session.ts'
import { recogniseCall } from '../../llm/recognise.ts'
import type { ScrubbedText, Scrubber } from '../../scrub/index.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { scrubbedText } from '../../scrub/scrubbed-parts.ts'
import { grownRequestOf } from '../../tape/grown-request.ts'
import { casReferences, type Kind, type RecordKind, type TapeClock, type TapeRecord, type TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { DescribedRequest } from '../keys/request-key.ts'
import { requestParts } from '../llm/request-ledger.ts'
import { StartRequests } from '../llm/start-requests.ts'
import { clockText } from '../records/clock-text.ts'
import { renumbered } from '../records/delivered-kinds.ts'
import type { ChildStarted } from '../tape-index/tape-index.ts'

export type EmittedTape = {
  /** Time stands where it stood at this record, until the next one. */
  standAt(record: TapeRecord): void
  clock(api: Label, source: 'wall' | 'monotonic', value: ClockValue): void
  random(api: Label, bytes: Uint8Array): void
  fact(api: Label, name: string, value: string | null): void
  /** `child` is what the tape says of the subprocess that this is. */
  start(id: number, boundary: Label, key: ScrubbedText, request: DescribedRequest | null, child?: ChildStarted): void
  /** A record that was handed out, or that the recorder had noted beside one, under the number that its effect has in this run. */
  served(record: TapeRecord, effect: number | null): void
}

export const noTape: EmittedTape = {
  standAt: () => undefined,
  clock: () => undefined,
  random: () => undefined,
  fact: () => undefined,
  start: () => undefined,
  served: () => undefined,
}

/** A clock that stands where the last served record stood. */
export type ServedClock = TapeClock & { standAt(record: TapeRecord): void }

export function createServedClock(): ServedClock {
  let wall = 0
  let monotonic = 0
  return {
    now: () => wall,
    monotonicMs: () => monotonic,
    standAt(record) {
      wall = record.virtualTimeMs
      monotonic = record.monotonicMs
    },
  }
}

/** `cassette` copies the cassette of this name beside the new tape, under another name. */
export function emittedTape(
  recorder: TapeRecorder,
  clock: ServedClock,
  scrubber: Scrubber,
  payloads: TapePayloads,
  cassette: (name: string, newName: string) => void = () => undefined,
): EmittedTape {
  const requests = new StartRequests()
  /** Where the calls of the recorded run, and their exchanges, stand in this one. */
  const calls = new Map<number, number>()
  const exchanges = new Map<number, number>()
  const withCassette = (name: ScrubbedText): ScrubbedText => {
    if (name === '') return name
    const newName = scrubbedText`${recorder.nextSeq()}`
    cassette(name, newName)
    return newName
  }
  return {
    standAt: (record) => clock.standAt(record),
    clock: (api, source, value) => void recorder.record({ kind: 'clock_read', source, ...clockText(value), api }),
    random(api, bytes) {
      recorder.record({ kind: 'random_read', api, data: recorder.chunkFromBytes(scrubber.bytes(bytes, 'received')) })
    },
    fact(api, name, value) {
      // What is served comes from the tape, and was scrubbed when it was written there.
      recorder.record({ kind: 'env_read', name: scrubber.text(name, 'sent'), value: value === null ? null : fromDisk(value), api })
    },
    start(id, boundary, key, request, child) {
      const call = request === null ? null : recogniseCall(request)
      if (call === null) {
        const told = child === undefined ? {} : { request: fromDisk<Json>(child.request), ...(child.pid === null ? {} : { pid: child.pid }) }
        recorder.record({ kind: 'effect_start', id, boundary, key, ...told })
        return
      }
      const parts = requestParts(call.body)
      const line = requests.lineOf(call, parts)
      const { seq } = recorder.record({ kind: 'effect_start', id, boundary, key, ...(line === undefined ? {} : { request: line }) })
      requests.started(id, seq, call, parts, line)
    },
    served(record, effect) {
      clock.standAt(record)
      for (const reference of casReferences(record.kind)) {
        recorder.payloadFromBytes(fromDisk(payloads({ form: 'cas', contentHash: reference.contentHash, lenBytes: reference.lenBytes })))
      }
      const { kind } = record
      if (kind.kind === 'http_exchange' && effect !== null) {
        requests.answered(effect)
        if (exchanges.size < MAX_EXCHANGES) exchanges.set(kind.id, effect)
      }
      const known = effect ?? (kind.kind === 'stream_end' ? (exchanges.get(kind.of) ?? null) : null)
      const moved = kind.kind === 'llm_call' ? movedCall(kind, calls, exchanges) : known === null ? kind : renumbered(kind, known)
      const read = fromDisk<RecordKind>(moved)
      const placed = read.kind === 'terminal_session' ? { ...read, cassette: withCassette(read.cassette) } : read
      const { seq } = recorder.record(placed, record.scrubbed)
      if (kind.kind === 'llm_call') calls.set(record.seq, seq)
    },
  }
}

/** Numbers are remembered for this many exchanges; a call whose exchange is not among them keeps the number that it had. */
const MAX_EXCHANGES = 100_000

/** A call names its exchange and the call that it grows from by the numbers that they have in this run. */
function movedCall(kind: Kind<'llm_call'>, calls: ReadonlyMap<number, number>, exchanges: ReadonlyMap<number, number>): RecordKind {
  const grown = kind.request === undefined ? null : grownRequestOf(kind.request)
  return {
    ...kind,
    ...(grown === null ? {} : { request: { ...grown, base: calls.get(grown.base) ?? grown.base } }),
    ...(kind.wire === undefined ? {} : { wire: exchanges.get(kind.wire) ?? kind.wire }),
  }
}
