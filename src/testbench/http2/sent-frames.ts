/**
 * The frames that the program sends over one connection of HTTP/2: scrubbed, written as records, and in a replay
 * compared with the recording, stream by stream. Data is compared as concatenated bytes. A replay writes in the
 * order and with the cuts of the recording, so only what is sent counts, not how Node's session divides it.
 */
import { type Label, label } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import type { Http2Frame } from '../../boundaries/http2-frame.ts'
import { type Divergence, divergenceError } from '../../fidelity/divergence.ts'
import { otherInput } from '../../fidelity/sentences.ts'
import type { ScrubbedBytes, StreamScrubber } from '../../scrub/index.ts'
import { scrubbedHeaders } from '../../scrub/scrubbed-headers.ts'
import { concatScrubbed, noScrubbedBytes, sliceScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import type { StreamCalls } from '../llm/stream-calls.ts'
import { chunkBytes } from '../records/chunk-bytes.ts'
import { withoutCounts } from '../session/counted-secrets.ts'
import type { TapeTools, Tools } from '../session/family.ts'
import type { Role } from './received-frames.ts'
import { scrubbedHead } from './scrubbed-head.ts'
import { ComparedStream } from './sent-comparison.ts'
import { frameNames, type SentItem, stored } from './stored-frame.ts'

type Recorded = { readonly effect: number; readonly tape: TapeTools }

export class SentFrames {
  readonly #id: number
  readonly #key: string
  readonly #role: Role
  readonly #tools: Tools
  readonly #calls: StreamCalls | null
  readonly #recorded: Recorded | null
  readonly #lanes = new Map<number, StreamScrubber>()
  /** Of a replay: what the program has sent and no record has yet, by stream. */
  readonly #unwritten = new Map<number, SentItem[]>()
  readonly #compared = new Map<number, ComparedStream>()
  /** Of a replay: streams whose last bytes the recording held back at this point, until more is sent on them. */
  readonly #heldBack = new Set<number>()
  #n = 0
  #seq = 0
  #differs = false

  /** `effect`: the number of the effect on the tape; null if the world answers. */
  constructor(
    id: number,
    key: string,
    role: Role,
    effect: number | null,
    tools: Tools,
    calls: StreamCalls | null = null,
  ) {
    const { tape } = tools
    this.#calls = calls
    this.#id = id
    this.#key = key
    this.#role = role
    this.#tools = tools
    this.#recorded = effect === null || tape === null ? null : { effect, tape }
  }

  /** Whether the scrubber holds back what was sent. */
  get isHolding(): boolean {
    return [...this.#lanes.values()].some(({ held }) => held > 0)
  }

  send(frame: Http2Frame): Error | null {
    let error: Error | null = null
    for (const item of this.#itemsOf(frame)) {
      this.#follow(item)
      if (this.#recorded === null) this.#write(item)
      else if (item.data?.byteLength !== 0) {
        keep(this.#unwritten, item)
        error ??= this.#compare(streamOf(item.fields), (compared) => compared.sent(item))
      }
    }
    this.writeRecorded()
    return error
  }

  /** A record of the tape that holds what was sent. */
  recordedSent({ seq, kind }: TapeRecord): void {
    if (kind.kind !== 'http2_frame' || kind.direction !== 'out' || this.#recorded === null) return
    this.#seq = seq
    const { tape } = this.#recorded
    const data = kind.data === undefined ? null : tape.payloads(kind.data)
    if (data?.byteLength === 0 && kind.held !== undefined) return
    const error = this.#compare(streamOf(kind), (compared) => compared.recorded(kind, data))
    if (error !== null) this.#tools.deliver(this.#id, { type: 'error', error: errorFacts(error) })
  }

  /** The recording had sent more by now: what answers it must wait. */
  isBehind(): boolean {
    return !this.#differs && [...this.#compared.values()].some((compared) => compared.isBehind())
  }

  leftovers(): readonly Divergence[] {
    // The program has ended with an open stream: what the scrubber holds was sent too.
    if (this.#recorded !== null) for (const stream of [...this.#lanes.keys()]) this.#releaseLane(stream)
    if (this.#differs) return []
    for (const [stream, compared] of this.#compared) {
      const difference = compared.leftover()
      if (difference !== null) return [this.#divergence(stream, difference)]
    }
    return []
  }

  /**
   * Writes what was sent, as far as the recording had sent it before its next delivery. A live run writes all
   * of it.
   */
  writeRecorded(): void {
    if (this.#recorded === null) return
    const { effect, tape } = this.#recorded
    if (tape.hasLeft()) {
      this.#writeAll()
      return
    }
    for (;;) {
      const next = tape.next((kind) => isSentBy(kind, effect))
      if (next === null || next.kind.kind !== 'http2_frame' || !this.#writeLike(next, next.kind)) return
    }
  }

  /** The program has let go of the connection. */
  abandon(): void {
    for (const stream of [...this.#lanes.keys()])
      if (this.#recorded !== null) this.#releaseLane(stream)
      else for (const item of this.#endLane(stream)) this.#write(item)
    this.writeRecorded()
    this.#writeAll()
  }

  #writeAll(): void {
    for (const items of this.#unwritten.values()) for (const item of items.splice(0)) this.#write(item)
  }

  #follow({ fields, data }: SentItem): void {
    const { stream, headers } = fields
    if (stream === undefined) return
    if (headers !== undefined) this.#calls?.asked(stream, headers)
    else if (fields.frame === DATA && data !== null) this.#calls?.sent(stream, data)
    else if (fields.frame === frameNames.reset) this.#calls?.ended(stream, { type: 'abandoned' })
  }

  #itemsOf(frame: Http2Frame): readonly SentItem[] {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const { fields, data = null } = stored(frame, {
      headers: (headers) =>
        this.#role === 'client'
          ? scrubbedHead(headers, scrubber)
          : scrubbedHeaders(headers, scrubber, 'sent'),
      text: (text) => scrubber.text(text, 'sent'),
      value: (value) => scrubber.value(value, 'sent'),
      bytes: (bytes) => scrubber.bytes(bytes, 'sent'),
    })
    if (frame.frame === 'data') return this.#dataItems(frame)
    const item = { fields, data, hits: scrubber.hits - before }
    const isLast = frame.frame === 'reset' || frame.frame === 'headers'
    return isLast ? [...this.#endLane(frame.stream), item] : [item]
  }

  /** The end of a stream is a record of its own: it may come with the last data, or after it. */
  #dataItems({ stream, bytes, ends }: Extract<Http2Frame, { frame: 'data' }>): readonly SentItem[] {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const lane = this.#lanes.get(stream) ?? scrubber.stream('sent')
    this.#lanes.set(stream, lane)
    this.#heldBack.delete(stream)
    const clean = lane.push(withoutCounts(bytes, scrubber))
    const items = dataItems(stream, clean, scrubber.hits - before, ends ? 0 : lane.held)
    if (!ends) return items
    const end = { fields: { frame: frameNames.end, stream }, data: null, hits: 0 }
    return [...items, ...this.#endLane(stream), end]
  }

  #endLane(stream: number): readonly SentItem[] {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const rest = this.#lanes.get(stream)?.end() ?? null
    this.#lanes.delete(stream)
    this.#heldBack.delete(stream)
    return rest === null ? [] : dataItems(stream, rest, scrubber.hits - before, 0)
  }

  #compare(
    stream: number,
    run: (compared: ComparedStream) => ReturnType<ComparedStream['leftover']>,
  ): Error | null {
    const compared = this.#compared.get(stream) ?? new ComparedStream()
    this.#compared.set(stream, compared)
    const difference = run(compared)
    if (difference === null || this.#differs) return null
    this.#differs = true
    return divergenceError(this.#tools.diverge(this.#divergence(stream, difference)))
  }

  #divergence(
    stream: number,
    difference: { readonly expected: string; readonly actual: string },
  ): Divergence {
    const where = stream === 0 ? 'the connection' : `stream ${stream}`
    return otherInput(this.#seq, 'frames', this.#key, { ...difference, where })
  }

  /** False if the program has not sent it yet. */
  #writeLike({ phase }: TapeRecord, recorded: Kind<'http2_frame'>): boolean {
    const stream = streamOf(recorded)
    const length = recorded.frame === DATA && recorded.data !== undefined ? chunkBytes(recorded.data) : null
    if (length !== null && this.#heldBack.has(stream)) return false
    // What the recording held back to its end is held back here too.
    if (phase !== FINALIZE && length !== null) this.#release(stream, length)
    const items = this.#unwritten.get(stream) ?? []
    const [first] = items
    if (length === 0 && recorded.held !== undefined) return this.#writeHeld(stream, first, recorded.held)
    if (first === undefined || first.fields.frame !== recorded.frame) return false
    if (first.fields.frame !== DATA || first.data === null || length === null) {
      items.shift()
      this.#write(first)
      return true
    }
    if (first.data.byteLength < length && items.length === 1) return false
    const { held } = recorded
    const data = sliceScrubbedBytes(first.data, 0, length)
    this.#write({ ...first, fields: { frame: DATA, stream, ...(held === undefined ? {} : { held }) }, data })
    if (held !== undefined) this.#heldBack.add(stream)
    const rest = sliceScrubbedBytes(first.data, Math.min(length, first.data.byteLength))
    if (rest.byteLength === 0) items.shift()
    else items[0] = { ...first, data: rest }
    return true
  }

  /** The recording held back everything that was sent. False if nothing is sent yet. */
  #writeHeld(stream: number, first: SentItem | undefined, held: number): boolean {
    if (first?.data == null && (this.#lanes.get(stream)?.held ?? 0) === 0) return false
    this.#write({ fields: { frame: DATA, stream, held }, data: noScrubbedBytes, hits: 0 })
    this.#heldBack.add(stream)
    return true
  }

  /**
   * Which bytes could begin a secret depends on the secrets that are known, and those of this run are others.
   * The recording did not hold back the first `length` bytes: they begin none.
   */
  #release(stream: number, length: number): void {
    const items = this.#unwritten.get(stream) ?? []
    const first = items[0]?.data ?? null
    const missing = length - (first?.byteLength ?? 0)
    const held = this.#lanes.get(stream)?.held ?? 0
    if (items.length > 1 || (items.length === 1 && first === null) || missing <= 0 || missing > held) return
    this.#releaseLane(stream)
  }

  #releaseLane(stream: number): void {
    for (const item of this.#endLane(stream)) {
      keep(this.#unwritten, item)
      this.#compare(stream, (compared) => compared.sent(item))
    }
  }

  #write({ fields, data, hits }: SentItem): void {
    const { recorder } = this.#tools
    const kind = {
      kind: 'http2_frame',
      of: this.#id,
      n: this.#n,
      direction: OUT,
      ...fields,
      ...(data === null ? {} : { data: recorder.chunkFromBytes(data) }),
    } as const
    this.#n += 1
    recorder.record(kind, hits)
  }
}

const OUT = 'out'
const FINALIZE = 'runtime_finalize'
const DATA: Label = label('data')

/** `held`: how many bytes of the stream are held back after these. */
function dataItems(stream: number, data: ScrubbedBytes, hits: number, held: number): readonly SentItem[] {
  if (held > 0) return [{ fields: { frame: DATA, stream, held }, data, hits }]
  return data.byteLength === 0 ? [] : [{ fields: { frame: DATA, stream }, data, hits }]
}

/** Data that follows data is one item: how it is cut does not count. */
function keep(unwritten: Map<number, SentItem[]>, item: SentItem): void {
  const stream = streamOf(item.fields)
  const items = unwritten.get(stream) ?? []
  unwritten.set(stream, items)
  const last = items.at(-1)
  if (last?.data == null || item.data === null || last.fields.frame !== DATA || item.fields.frame !== DATA)
    items.push(item)
  else items[items.length - 1] = { ...last, data: concatScrubbed([last.data, item.data]) }
}

function streamOf({ stream = 0 }: { readonly stream?: number }): number {
  return stream
}

function isSentBy(kind: TapeRecord['kind'], effect: number): boolean {
  return kind.kind === 'http2_frame' && kind.of === effect && kind.direction === OUT
}
