/**
 * One connection to a server of the program, as records and back. What comes in: requests with their bodies,
 * bytes that belong to no request, messages of a WebSocket, or frames of HTTP/2. What the program sends: answers,
 * other bytes, messages, frames.
 * The second recording has what this run sent, and the judge compares.
 *
 * Decision 0325.
 */
import type { ServedSide } from '../../boundaries/session.ts'
import type { Divergence } from '../../fidelity/divergence.ts'
import { hasFeature } from '../../tape/features.ts'
import type { TapeRecord } from '../../tape/index.ts'
import { ReceivedFrames } from '../http2/received-frames.ts'
import { SentFrames } from '../http2/sent-frames.ts'
import type { EffectCode, Origin, Tools } from '../session/family.ts'
import { ReceivedMessages } from '../socket/received-messages.ts'
import { SentMessages } from '../socket/sent-messages.ts'
import { connectionDecoder, ReceivedRequests } from './received-requests.ts'
import { SentAnswers } from './sent-answers.ts'
import { SentPieces } from './sent-pieces.ts'

export type ConnectionCode = Required<
  Pick<
    EffectCode,
    'isHolding' | 'encode' | 'decode' | 'isBehind' | 'served' | 'frames' | 'recordedSent' | 'abandon'
  >
> & { leftovers(): readonly Divergence[] }

export function connectionCode(id: number, key: string, origin: Origin, tools: Tools): ConnectionCode {
  const { tape } = tools
  const effect = origin.type === 'tape' ? origin.effect : null
  const requests = new ReceivedRequests(id, origin, tools)
  const answers = new SentAnswers(id, key, effect, tools)
  const pieces = new SentPieces(id, effect, tools)
  const sentFrames = new SentFrames(id, key, 'server', effect, tools)
  const receivedFrames = new ReceivedFrames(id, 'server', origin, tools)
  const receivedMessages = new ReceivedMessages(id, tools.recorder, tools.received(origin))
  const sentMessages = new SentMessages(id, key, effect !== null, tools, { isServed: true })
  let isOver = false
  /** The program waits until its client has read what it wrote. */
  let isWaiting = false

  const served: ServedSide = {
    answer: (head) => answers.begin(head),
    answerBody: (bytes) => answers.add(bytes),
    answerEnd: (trailers, isWhole) => answers.end(trailers, isWhole),
    hasMessages: effect === null || tape === null || hasFeature(tape.header, 'servedMessages'),
    sendMessage: (message) => sentMessages.send(message),
    send: (bytes) => pieces.send(bytes),
    sendEnd: () => pieces.end(),
    waitForClient() {
      if (effect !== null && tape !== null && !hasFeature(tape.header, 'servedWaits')) return false
      // After an edit the answer may be longer than the recorded one, and the tape has no such moment for it.
      isWaiting = !tools.mayDiffer()
      return isWaiting
    },
  }

  return {
    get isHolding() {
      return requests.held > 0 || receivedFrames.held > 0 || sentFrames.isHolding
    },
    served,
    frames: sentFrames,
    recordedSent(record) {
      sentFrames.recordedSent(record)
      sentMessages.recordedSent(record)
    },
    leftovers: () => [...sentFrames.leftovers(), ...sentMessages.leftovers()],
    encode({ outcome, recorded, together = false }) {
      pieces.writeCuts(true)
      sentFrames.writeRecorded()
      if (outcome.type === 'completion') {
        isWaiting = false
        tools.recorder.record({ kind: 'completion', of: id })
      } else if (outcome.type === 'http2') {
        receivedFrames.encode(outcome.frame, together, recorded)
        sentFrames.writeRecorded()
      } else if (outcome.type === 'ws_message') receivedMessages.encode(outcome, recorded)
      else if (!requests.encode(outcome, together, recorded))
        throw new Error(`a connection to a server has no ${outcome.type}`)
      return null
    },
    decode: effect === null || tape === null ? () => [] : connectionDecoder(effect, tape, tools.scrubber),
    isBehind: (next) =>
      (next?.kind.kind === 'completion' && !isWaiting) ||
      sentFrames.isBehind() ||
      sentMessages.isBehind() ||
      (tape !== null && effect !== null && tape.next((kind) => isSentBy(kind, effect)) !== null),
    abandon() {
      if (isOver) return
      isOver = true
      requests.abandon()
      receivedFrames.end()
      sentFrames.abandon()
      answers.end([], false)
      pieces.abandon()
    },
  }
}

/** What the program sent over the connection. */
function isSentBy(kind: TapeRecord['kind'], effect: number): boolean {
  if (kind.kind === 'server_answer') return kind.of === effect
  return kind.kind === 'stream_chunk' && kind.of === effect && kind.direction === 'out'
}
