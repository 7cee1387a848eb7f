/**
 * Calls of agent state as effects of a session: requested with a key, answered through the gate in the order
 * of the tape. Whatever the driver, an answer is an `fs_call`, followed by the content if there is some: read
 * by the program as `file_read`, passed by it as `file_write`.
 */
import { type Json, label } from '../../base/index.ts'
import { activeSession, outsideWithContext } from '../../boundaries/context.ts'
import { errorFacts, errorFromFacts } from '../../boundaries/errors.ts'
import type { Patch } from '../../boundaries/patches.ts'
import type { Outcome, Session } from '../../boundaries/session.ts'
import { now } from '../../real/index.ts'
import {
  type StateAnswer,
  type StateCall,
  type StateCrossing,
  stateCrossingPlace,
} from '../../tape/state-crossing.ts'

const BOUNDARY = label('filesystem')
const CLOCK_API = label('reprise.state')
const HINT = label('state_hint')

export function statePatches(): Patch[] {
  const find = (): StateCrossing | null => {
    const session = activeSession('filesystem')
    return session === null ? null : crossingOf(session)
  }
  return [
    { owner: stateCrossingPlace(), property: 'find', replace: (original) => ({ ...original, value: find }) },
  ]
}

function crossingOf(session: Session): StateCrossing {
  return {
    now: () => Number(session.readClock(CLOCK_API, 'wall', () => ({ unit: 'ms', value: now() })).value),
    call: (call, perform) => new Promise((resolve, reject) => start(session, call, perform, resolve, reject)),
    outside: outsideWithContext,
    hints(path, listen, hint) {
      const effect = session.start(BOUNDARY, `${HINT} ${path}`, () => hint(), { ref: false })
      const arrive = (): void =>
        effect.arrive({ type: 'fs_call', call: HINT, path, result: null, error: null })
      const listening = effect.isLive ? outsideWithContext(() => listen(arrive)) : null
      return {
        [Symbol.dispose]() {
          listening?.[Symbol.dispose]()
          effect.close()
        },
      }
    },
  }
}

function start(
  session: Session,
  call: StateCall,
  perform: () => Promise<StateAnswer>,
  resolve: (answer: StateAnswer) => void,
  reject: (error: unknown) => void,
): void {
  const { path, sent } = call
  const name = label(`state_${call.call}`)
  let facts: Json = null
  const settle = (outcome: Outcome): void => {
    effect.close()
    if (outcome.type === 'error') reject(errorFromFacts(outcome.error))
    else resolve({ result: facts, content: outcome.type === 'file_read' ? plainBytes(outcome.bytes) : null })
  }
  const receive = (outcome: Outcome): void => {
    if (outcome.type !== 'fs_call') {
      settle(outcome)
      return
    }
    facts = fieldOf(outcome.result, 'answer') ?? null
    if (outcome.error !== null) settle({ type: 'error', error: outcome.error })
    else if (fieldOf(outcome.result, 'content') === undefined) settle(outcome)
  }
  const effect = session.start(
    BOUNDARY,
    `${name} ${path}`,
    receive,
    sent === undefined ? {} : { sent: () => sent },
  )
  if (!effect.isLive) return
  outsideWithContext(perform).then(
    ({ result, content }) => {
      const bytes = content ?? sent ?? null
      const base = { type: 'fs_call', call: name, path, error: null } as const
      effect.arrive({
        ...base,
        result:
          bytes === null
            ? { answer: result }
            : { answer: result, content: content === null ? 'sent' : 'received' },
      })
      if (bytes !== null) effect.arrive({ type: content === null ? 'file_write' : 'file_read', path, bytes })
    },
    (error: unknown) =>
      effect.arrive({ type: 'fs_call', call: name, path, result: null, error: errorFacts(error) }),
  )
}

/** Never a `Buffer`: the program sees the class. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function fieldOf(value: Json, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })[name]
    : undefined
}
