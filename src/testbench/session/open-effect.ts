/** An effect that was started: its record, and what the kernel keeps until it is closed. */
import { AsyncResource } from 'node:async_hooks'
import { label } from '../../base/index.ts'
import { type Gate, turnCause } from '../../boundaries/gate.ts'
import type { ServedSide } from '../../boundaries/session.ts'
import type { Description, EffectStart, Origin, Tools } from './family.ts'
import type { OpenEffect } from './source.ts'

export function openEffect(
  start: EffectStart,
  id: number,
  key: string,
  code: OpenEffect['code'],
  receive: OpenEffect['receive'],
): OpenEffect {
  const { ref = true, real = false } = start.options
  return {
    id,
    start,
    options: start.options,
    key,
    code,
    receive,
    resource: new AsyncResource('reprise.effect', { requireManualDestroy: true }),
    cause: turnCause(),
    closed: false,
    ref,
    work: real ? 'under way' : 'none',
    waitsFor: waitedFor(start),
    hasAnswer: false,
  }
}

function waitedFor({ boundary, options }: EffectStart): OpenEffect['waitsFor'] {
  if (options.supporting === true) return null
  if (options.request !== undefined) return 'answer'
  return boundary === CLOCK ? 'timer' : null
}

const CLOCK = label('clock')

/** Writes `effect_start`. `hits`: secrets that had been replaced before the effect was described. */
export function writeStart(
  { recorder, scrubber }: Tools,
  start: EffectStart,
  id: number,
  description: Description,
  origin: Origin,
  hits: number,
): { seq: number; atMs: number } {
  const { keys } = description
  const { request, pid } = description.start?.(origin) ?? {}
  const kind = { kind: 'effect_start', id, boundary: start.boundary, key: keys[0] } as const
  const withRequest = request === undefined ? kind : { ...kind, request }
  const { seq, monotonicMs } = recorder.record(
    pid === undefined ? withRequest : { ...withRequest, pid },
    scrubber.hits - hits,
  )
  return { seq, atMs: monotonicMs }
}

/** What a server sends after the session has ended is not recorded. */
export function untilEnded(served: ServedSide, gate: Pick<Gate, 'wake'>, isEnded: () => boolean): ServedSide {
  return {
    answer: (head) => void (isEnded() || served.answer(head)),
    answerBody: (bytes) => void (isEnded() || served.answerBody(bytes)),
    answerEnd: (trailers, isWhole) => void (isEnded() || served.answerEnd(trailers, isWhole)),
    hasMessages: served.hasMessages,
    sendMessage: (message) => (isEnded() ? null : served.sendMessage(message)),
    send: (bytes) => void (isEnded() || served.send(bytes)),
    sendEnd: () => void (isEnded() || served.sendEnd()),
    waitForClient() {
      if (isEnded() || !served.waitForClient()) return false
      // The tape may have waited for this.
      gate.wake()
      return true
    },
  }
}

/** Of a call that returns at once: it is no effect. */
export function notOpened(): never {
  throw new Error('a call is not opened')
}
