/**
 * Randomness that is delivered to a callback: an effect whose outcomes are the bytes and their end. The
 * program is called at the end, when nothing remains to be written: an effect that is closed earlier would
 * end on the tape in the middle of the program's turn.
 */
import { concatBytes, label, utf8 } from '../../base/index.ts'
import { realBytesLater } from '../../real/random-owners.ts'
import { outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { realSource, sourceOf } from './source.ts'

const RANDOM = label('random')

type Done = (bytes: Uint8Array) => void

export function callbackBytes(
  session: Session,
  key: string,
  size: number,
  done: Done,
  failed: (error: Error) => unknown,
): void {
  const effect = startOnce(session, key, done, failed)
  if (!effect.isLive) return
  const source = sourceOf(session)
  if (source !== realSource) {
    arriveWhole(effect, source.bytes(size))
    return
  }
  outside(() =>
    realBytesLater(size, (error, bytes) => {
      if (error === null) arriveWhole(effect, bytes)
      else effect.arrive({ type: 'error', error: errorFacts(error) })
    }),
  )
}

/** For values that Node has at once and delivers in the next tick. */
export function callbackText(
  session: Session,
  key: string,
  draw: () => string,
  done: (text: string) => void,
): void {
  const effect = startOnce(
    session,
    key,
    (bytes) => done(Buffer.from(bytes).toString('latin1')),
    (error) => {
      throw error
    },
  )
  if (effect.isLive) arriveWhole(effect, utf8(draw()))
}

function arriveWhole(effect: Effect, bytes: Uint8Array): void {
  effect.arrive({ type: 'chunk', bytes })
  effect.arrive({ type: 'end', trailers: [] })
}

function startOnce(session: Session, key: string, done: Done, failed: (error: Error) => unknown): Effect {
  const parts: Uint8Array[] = []
  const receive = (outcome: Outcome): void => {
    if (outcome.type === 'chunk') {
      parts.push(outcome.bytes)
      return
    }
    effect.close()
    if (outcome.type === 'end') done(concatBytes(parts))
    else if (outcome.type === 'error') failed(errorFromFacts(outcome.error))
    else throw new TypeError(`random: no such outcome: ${outcome.type}`)
  }
  const effect = session.start(RANDOM, key, receive)
  return effect
}
