/**
 * Network crossings that are not recorded. A recording lets them pass and keeps a gap, once per reason; a
 * replay refuses them with a divergence.
 *
 * The call runs in the program's own context, so its callbacks are still recorded.
 */
import { label } from '../../base/index.ts'
import type { Session } from '../session.ts'
import { refusal } from './refusal.ts'

const NETWORK = label('network')

let passing = 0

/** Whether the running call was already let pass: the calls inside it are not reported again. */
export function isPassing(): boolean {
  return passing > 0
}

/** Runs `body` and keeps a gap; in a replay throws the divergence. */
export function passOrRefuse<T>(session: Session, reason: string, body: () => T): T {
  if (!session.isLive(NETWORK)) throw refusal(session, reason)
  session.gap(NETWORK, reason)
  return pass(body)
}

function pass<T>(body: () => T): T {
  passing += 1
  try {
    return body()
  } finally {
    passing -= 1
  }
}
