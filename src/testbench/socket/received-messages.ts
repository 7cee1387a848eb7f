/** The messages that come in over one WebSocket: scrubbed, written as records, and read back. */
import type { SocketMessage } from '../../boundaries/session.ts'
import type { ScrubbedBytes } from '../../scrub/index.ts'
import type { Kind, TapeRecord, TapeRecorder } from '../../tape/index.ts'
import type { TapePayloads } from '../../tape/tape-payloads.ts'
import type { Delivery, Recorded } from '../session/delivery.ts'
import type { Received } from '../session/received.ts'
import { messageKind, messageOf, storedMessage } from './stored-message.ts'

export class ReceivedMessages {
  readonly #id: number
  readonly #recorder: TapeRecorder
  readonly #received: Received
  #n = 0

  constructor(id: number, recorder: TapeRecorder, received: Received) {
    this.#id = id
    this.#recorder = recorder
    this.#received = received
  }

  /** Returns the scrubbed content. */
  encode({ message, bytes }: SocketMessage, recorded: Recorded | undefined): ScrubbedBytes {
    const received = this.#received
    const before = received.hits
    const stored = storedMessage(message, bytes, (part) => received.bytes(part))
    const kind = messageKind(this.#id, this.#n, 'in', message, stored, this.#recorder)
    this.#n += 1
    this.#recorder.record(kind, recorded?.at.scrubbed ?? received.hits - before)
    return stored.data
  }
}

export function messageDelivery(at: TapeRecord, kind: Kind<'ws_message'>, payloads: TapePayloads): Delivery {
  const bytes = messageOf({ data: payloads(kind.data), code: kind.code })
  return { outcome: { type: 'ws_message', message: kind.message, bytes }, recorded: { at } }
}
