/**
 * The frames received over one HTTP/2 connection, as records and back. The data of each stream passes the
 * scrubber as one stream of bytes: a secret becomes a mask of equal length, because messages inside may count
 * their bytes. Bytes that the scrubber holds back until a stream ends get their own record, `held`.
 */
import type { HeaderList } from '../../base/index.ts'
import { label } from '../../base/index.ts'
import type { Http2Frame } from '../../boundaries/http2-frame.ts'
import type { Scrubbed, ScrubbedBytes } from '../../scrub/index.ts'
import { concatScrubbed, noScrubbedBytes } from '../../scrub/scrubbed-parts.ts'
import type { HeaderPairs, Kind, TapeRecord } from '../../tape/index.ts'
import type { StreamCalls } from '../llm/stream-calls.ts'
import type { Ending } from '../records/call-follower.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type { Origin, TapeTools, Tools } from '../session/family.ts'
import type { ByteLane, Received } from '../session/received.ts'
import { StreamDecoder, type StreamPart } from '../session/stream-code.ts'
import { scrubbedHead } from './scrubbed-head.ts'
import { frameNames, frameOf, type StoredFrame, stored } from './stored-frame.ts'

const SAME_TURN = label('same')
const WHOLE: Ending = { type: 'end' }

/** Which side of the connection the program is. */
export type Role = 'client' | 'server'

export class ReceivedFrames {
  readonly #id: number
  readonly #tools: Tools
  readonly #received: Received
  readonly #headers: (headers: HeaderList) => Scrubbed<HeaderPairs>
  readonly #lanes = new Map<number, ByteLane>()
  readonly #calls: StreamCalls | null
  #n = 0

  /** `calls`: follows the streams that call a model. */
  constructor(id: number, role: Role, origin: Origin, tools: Tools, calls: StreamCalls | null = null) {
    const received = tools.received(origin)
    this.#id = id
    this.#tools = tools
    this.#received = received
    this.#calls = calls
    // A client sends an address with secrets, whichever side is recorded.
    this.#headers =
      role === 'server' && origin.type === 'world'
        ? (headers) => scrubbedHead(headers, tools.scrubber)
        : (headers) => received.headers(headers)
  }

  get held(): number {
    let held = 0
    for (const lane of this.#lanes.values()) held += lane.held
    return held
  }

  encode(frame: Http2Frame, together: boolean, recorded: Recorded | undefined): void {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const { fields, data } = stored(frame, { ...this.#received, headers: this.#headers })
    const turn = together ? { turn: SAME_TURN } : {}
    const hits = (): number => recorded?.at.scrubbed ?? scrubber.hits - before
    if (frame.frame !== 'data') {
      this.#write({ ...fields, ...turn }, data ?? null, 0, hits)
      if (frame.frame === 'headers') this.#calls?.answered(frame.stream, fields.headers ?? [])
      if (frame.frame === 'reset') this.#endStream(frame.stream, resetEnding(frame.code))
      else if (frame.frame === 'headers' && frame.ends) this.#endStream(frame.stream, WHOLE)
      return
    }
    const lane = this.#laneOf(frame.stream)
    const clean = lane.push(frame.bytes, recorded)
    if (!frame.ends) {
      this.#write({ ...fields, ...turn }, clean, lane.held, hits)
      this.#calls?.received(frame.stream, clean)
      return
    }
    const whole = concatScrubbed([clean, ...lane.end(recorded).chunks])
    this.#lanes.delete(frame.stream)
    this.#write({ ...fields, ...turn }, whole, 0, hits)
    this.#calls?.received(frame.stream, whole)
    this.#calls?.ended(frame.stream, WHOLE)
  }

  /** Nothing more arrives: held bytes are written. */
  end(): void {
    for (const stream of [...this.#lanes.keys()]) this.#endStream(stream, null)
  }

  #laneOf(stream: number): ByteLane {
    const lane = this.#lanes.get(stream) ?? this.#received.maskedStream()
    this.#lanes.set(stream, lane)
    return lane
  }

  /** `ending` is null if the connection ended before the stream. */
  #endStream(stream: number, ending: Ending | null): void {
    const lane = this.#lanes.get(stream)
    this.#lanes.delete(stream)
    if (lane !== undefined && lane.held > 0) this.#writeHeld(stream, lane)
    if (ending !== null) this.#calls?.ended(stream, ending)
  }

  #writeHeld(stream: number, lane: ByteLane): void {
    const { scrubber } = this.#tools
    const before = scrubber.hits
    const rest = concatScrubbed(lane.end().chunks)
    this.#write({ frame: frameNames.held, stream }, rest, 0, () => scrubber.hits - before)
    this.#calls?.received(stream, rest)
  }

  #write(
    fields: StoredFrame & { readonly turn?: typeof SAME_TURN },
    data: ScrubbedBytes | null,
    held: number,
    hits: () => number,
  ): void {
    const { recorder } = this.#tools
    const { turn, ...frame } = fields
    const kind = {
      kind: 'http2_frame',
      of: this.#id,
      n: this.#n,
      direction: 'in',
      ...frame,
      ...(data === null ? {} : { data: recorder.chunkFromBytes(data) }),
      ...(held === 0 ? {} : { held }),
      ...(turn === undefined ? {} : { turn }),
    } as const
    this.#n += 1
    recorder.record(kind, hits())
  }
}

/** Reads the deliveries of the received frames. */
export function frameDecoder(
  effect: number,
  tape: TapeTools,
): (record: TapeRecord, kind: Kind<'http2_frame'>) => readonly Delivery[] {
  const streams = new Map<number, StreamDecoder>()
  const decoderOf = (stream: number): StreamDecoder => {
    const decoder =
      streams.get(stream) ?? new StreamDecoder(tape.payloads, () => partsOf(tape, effect, stream))
    streams.set(stream, decoder)
    return decoder
  }
  return (record, kind) => {
    const together = kind.turn === SAME_TURN
    const part = partOf(kind)
    if (kind.frame !== frameNames.data || part === null) {
      const frame = frameOf(kind, kind.data === undefined ? noScrubbedBytes : tape.payloads(kind.data))
      if (frame === null) return []
      return [{ outcome: { type: 'http2', frame }, recorded: { at: record }, together }]
    }
    return decoderOf(kind.stream ?? 0)
      .decode(record, part)
      .flatMap((delivery): Delivery[] => {
        const frame = delivery.outcome.type === 'chunk' ? frameOf(kind, delivery.outcome.bytes) : null
        return frame === null ? [] : [{ ...delivery, outcome: { type: 'http2', frame }, together }]
      })
  }
}

function* partsOf(tape: TapeTools, effect: number, stream: number): Generator<StreamPart> {
  for (const { kind } of tape.ahead()) {
    if (kind.kind !== 'http2_frame' || kind.of !== effect || kind.stream !== stream) continue
    const part = kind.direction === 'in' ? partOf(kind) : null
    if (part !== null) yield part
  }
}

function resetEnding(code: number): Ending {
  return { type: 'error', error: { name: 'Error', message: `the stream was reset with code ${code}` } }
}

/** The data of a stream, as a part of a stream of bytes. */
function partOf({ of, n, frame, data, held }: Kind<'http2_frame'>): Kind<'stream_chunk'> | null {
  if ((frame !== frameNames.data && frame !== frameNames.held) || data === undefined) return null
  const part = { kind: 'stream_chunk', of, n, direction: 'in', data } as const
  return held === undefined ? part : { ...part, held }
}
