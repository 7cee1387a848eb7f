/**
 * Effects without a subject of their own: timers, real work whose place in the order counts, calls with one
 * answer, input of the process, and other plain streams of bytes.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import type { Answer, Outcome } from '../../boundaries/session.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import type { Scrubbed, ScrubbedText } from '../../scrub/index.ts'
import { scrubbedText, sliceScrubbed } from '../../scrub/scrubbed-parts.ts'
import { hasFeature } from '../../tape/features.ts'
import type { Kind, TapeRecord } from '../../tape/index.ts'
import { isAnswer, isAnswerKind } from '../records/answers.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type {
  CallFamily,
  EffectCode,
  EffectFamily,
  EffectStart,
  Origin,
  TapeTools,
  Tools,
} from '../session/family.ts'
import { StreamCode, StreamDecoder, type StreamPart } from '../session/stream-code.ts'

export const simpleFamily: EffectFamily = {
  name: 'simple',
  takes: () => true,
  create: (tools, calls) => ({
    describe(id, start) {
      const { boundary, key, options } = start
      // A key that the tape has was scrubbed when it was written: to look for secrets costs more than to
      // compare.
      const known = tools.tape?.knownKey(boundary, key) ?? null
      const clean = known ?? shortKey(tools.scrubber.text(key, 'sent'), options.maxKeyLength)
      return { keys: [clean], open: (origin) => new SimpleCode(id, start, clean, origin, tools, calls) }
    },
  }),
}

/** The hash is of scrubbed text: a hash of a secret is not stored, and a replay computes the same one. */
function shortKey(key: ScrubbedText, maxLength = Number.POSITIVE_INFINITY): ScrubbedText {
  const end = key.indexOf(' ') + 1
  if (key.length - end <= maxLength) return key
  return scrubbedText`${sliceScrubbed(key, 0, end)}${contentHash(utf8(key.slice(end)))}`
}

/** A class, because one is made for every call and timer. */
class SimpleCode implements EffectCode {
  readonly #id: number
  readonly #start: EffectStart
  readonly #key: ScrubbedText
  readonly #origin: Origin
  readonly #tools: Tools
  readonly #calls: CallFamily
  #stream: StreamCode | null = null
  #decoder: StreamDecoder | null = null

  constructor(
    id: number,
    start: EffectStart,
    key: ScrubbedText,
    origin: Origin,
    tools: Tools,
    calls: CallFamily,
  ) {
    this.#id = id
    this.#start = start
    this.#key = key
    this.#origin = origin
    this.#tools = tools
    this.#calls = calls
  }

  get isHolding(): boolean {
    return this.#stream !== null && this.#stream.held > 0
  }

  encode({ outcome, recorded, together = false }: Delivery): Outcome | null {
    if (isAnswer(outcome)) return this.#encodeAnswer(outcome, recorded)
    const { recorder } = this.#tools
    switch (outcome.type) {
      case 'timer':
        recorder.record(this.#ended())
        return null
      case 'completion':
        recorder.record({ kind: 'completion', of: this.#id })
        return null
      case 'chunk':
        this.#streamCode().chunk(outcome.bytes, together, recorded)
        return null
      case 'end':
        this.#streamCode().end(outcome.trailers, together, recorded)
        return null
      case 'error':
        this.#streamCode().error(outcome.error, together, recorded)
        return null
      default:
        throw new Error(`an effect without a subject has no ${outcome.type}`)
    }
  }

  decode(record: TapeRecord): readonly Delivery[] {
    const { kind } = record
    if (kind.kind === 'timer_fire' || kind.kind === 'clock_sleep')
      return [{ outcome: { type: 'timer' }, recorded: { at: record } }]
    if (kind.kind === 'completion') return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
    if (isAnswerKind(kind)) {
      const { answer, recorded, given } = this.#calls.decode(record)
      const delivery: Delivery = recorded === undefined ? { outcome: answer } : { outcome: answer, recorded }
      return [given === undefined ? delivery : { ...delivery, given: [given] }]
    }
    const { tape } = this.#tools
    const origin = this.#origin
    if (
      (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') ||
      tape === null ||
      origin.type === 'world'
    )
      return []
    this.#decoder ??= new StreamDecoder(tape.payloads, () => partsAhead(tape, origin.effect))
    return this.#decoder.decode(record, kind)
  }

  abandon(): void {
    this.#stream?.abandon()
  }

  #encodeAnswer(answer: Answer, recorded: Recorded | undefined): Outcome | null {
    const { key, options } = this.#start
    const given = recorded === undefined ? { answer, key: this.#key } : { answer, recorded, key: this.#key }
    const divergence = this.#calls.encode(given, { of: this.#id }, options.sent, undefined, key)
    if (divergence === null) return null
    this.#tools.diverge(divergence)
    return { type: 'error', error: errorFacts(divergenceError(divergence)) }
  }

  /** The record of a timer that has fired. */
  #ended(): Scrubbed<Kind<'clock_sleep' | 'timer_fire'>> {
    const { tape } = this.#tools
    const { sleepMs = 0 } = this.#start.options
    const isSleep =
      sleepMs > 0 && (this.#origin.type === 'world' || tape === null || hasFeature(tape.header, 'sleeps'))
    return isSleep
      ? { kind: 'clock_sleep', durationMs: Math.trunc(sleepMs), of: this.#id }
      : { kind: 'timer_fire', id: this.#id }
  }

  #streamCode(): StreamCode {
    const { recorder, received } = this.#tools
    this.#stream ??= new StreamCode(this.#id, recorder, received(this.#origin))
    return this.#stream
  }
}

function* partsAhead(tape: TapeTools, effect: number): Generator<StreamPart> {
  for (const { kind } of tape.ahead())
    if ((kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === effect) yield kind
}
