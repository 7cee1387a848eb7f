/** Randomness that comes to a callback: an effect with one outcome, the bytes. */
import { label, utf8 } from '../../base/index.ts'
import { realBytesLater } from '../../real/random-owners.ts'
import { outside } from '../context.ts'
import { errorFacts, errorFromFacts } from '../errors.ts'
import type { Effect, Outcome, Session } from '../session.ts'
import { realSource, sourceOf } from './source.ts'

const RANDOM = label('random')

type Done = (bytes: Uint8Array) => void

export function callbackBytes(session: Session, key: string, size: number, done: Done, failed: (error: Error) => unknown): void {
  const effect = startOnce(session, key, done, failed)
  if (session.mode !== 'record') return
  const source = sourceOf(session)
  if (source !== realSource) {
    effect.arrive({ type: 'chunk', bytes: source.bytes(size) })
    return
  }
  outside(() =>
    realBytesLater(size, (error, bytes) => {
      effect.arrive(error === null ? { type: 'chunk', bytes } : { type: 'error', error: errorFacts(error) })
    }),
  )
}

/** For what Node has ready at once and hands over in the next tick. */
export function callbackText(session: Session, key: string, draw: () => string, done: (text: string) => void): void {
  const effect = startOnce(
    session,
    key,
    (bytes) => done(Buffer.from(bytes).toString('latin1')),
    (error) => {
      throw error
    },
  )
  if (session.mode === 'record') effect.arrive({ type: 'chunk', bytes: utf8(draw()) })
}

function startOnce(session: Session, key: string, done: Done, failed: (error: Error) => unknown): Effect {
  const receive = (outcome: Outcome): void => {
    effect.close()
    if (outcome.type === 'chunk') done(outcome.bytes)
    else if (outcome.type === 'error') failed(errorFromFacts(outcome.error))
    else throw new TypeError(`random: no such outcome: ${outcome.type}`)
  }
  const effect = session.start(RANDOM, key, receive)
  return effect
}
