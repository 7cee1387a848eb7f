/**
 * Effects without a subject of their own: timers, real work whose place in the order counts, calls with one
 * answer, input of the process, and other plain streams of bytes.
 */
import { contentHash, utf8 } from '../../base/index.ts'
import { errorFacts } from '../../boundaries/errors.ts'
import { divergenceError } from '../../fidelity/divergence.ts'
import type { ScrubbedText } from '../../scrub/index.ts'
import { scrubbedText, sliceScrubbed } from '../../scrub/scrubbed-parts.ts'
import { hasFeature } from '../../tape/features.ts'
import { isAnswer, isAnswerKind } from '../records/answers.ts'
import type { Delivery } from '../session/delivery.ts'
import type { CallFamily, EffectCode, EffectFamily, EffectStart, Origin, Tools } from '../session/family.ts'
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
      return { keys: [clean], open: (origin) => simpleCode(id, start, clean, origin, tools, calls) }
    },
  }),
}

/** The hash is of scrubbed text: a hash of a secret is not stored, and a replay computes the same one. */
function shortKey(key: ScrubbedText, maxLength = Number.POSITIVE_INFINITY): ScrubbedText {
  const end = key.indexOf(' ') + 1
  if (key.length - end <= maxLength) return key
  return scrubbedText`${sliceScrubbed(key, 0, end)}${contentHash(utf8(key.slice(end)))}`
}

function simpleCode(
  id: number,
  { key, options }: EffectStart,
  clean: ScrubbedText,
  origin: Origin,
  tools: Tools,
  calls: CallFamily,
): EffectCode {
  const { recorder, tape } = tools
  const { sleepMs = 0 } = options
  const isSleep =
    sleepMs > 0 && (origin.type === 'world' || tape === null || hasFeature(tape.header, 'sleeps'))
  let stream: StreamCode | null = null
  let decoder: StreamDecoder | null = null
  const streamOf = (): StreamCode => {
    stream ??= new StreamCode(id, recorder, tools.received(origin))
    return stream
  }

  function* ahead(effect: number): Generator<StreamPart> {
    for (const { kind } of tape?.ahead() ?? [])
      if ((kind.kind === 'stream_chunk' || kind.kind === 'stream_end') && kind.of === effect) yield kind
  }

  return {
    get isHolding() {
      return stream !== null && stream.held > 0
    },
    encode({ outcome, recorded, together = false }) {
      if (isAnswer(outcome)) {
        const answer =
          recorded === undefined ? { answer: outcome, key: clean } : { answer: outcome, recorded, key: clean }
        const divergence = calls.encode(answer, { of: id }, options.sent, undefined, key)
        if (divergence !== null) tools.diverge(divergence)
        return divergence === null ? null : { type: 'error', error: errorFacts(divergenceError(divergence)) }
      }
      switch (outcome.type) {
        case 'timer':
          recorder.record(
            isSleep
              ? { kind: 'clock_sleep', durationMs: Math.trunc(sleepMs), of: id }
              : { kind: 'timer_fire', id },
          )
          return null
        case 'completion':
          recorder.record({ kind: 'completion', of: id })
          return null
        case 'chunk':
          streamOf().chunk(outcome.bytes, together, recorded)
          return null
        case 'end':
          streamOf().end(outcome.trailers, together, recorded)
          return null
        case 'error':
          streamOf().error(outcome.error, together, recorded)
          return null
        default:
          throw new Error(`an effect without a subject has no ${outcome.type}`)
      }
    },
    decode(record): readonly Delivery[] {
      const { kind } = record
      if (kind.kind === 'timer_fire' || kind.kind === 'clock_sleep')
        return [{ outcome: { type: 'timer' }, recorded: { at: record } }]
      if (kind.kind === 'completion') return [{ outcome: { type: 'completion' }, recorded: { at: record } }]
      if (isAnswerKind(kind)) {
        const { answer, recorded, given } = calls.decode(record)
        const delivery: Delivery =
          recorded === undefined ? { outcome: answer } : { outcome: answer, recorded }
        return [given === undefined ? delivery : { ...delivery, given: [given] }]
      }
      if (
        (kind.kind !== 'stream_chunk' && kind.kind !== 'stream_end') ||
        tape === null ||
        origin.type === 'world'
      )
        return []
      const { effect } = origin
      decoder ??= new StreamDecoder(tape.payloads, () => ahead(effect))
      return decoder.decode(record, kind)
    },
    abandon: () => void stream?.abandon(),
  }
}
