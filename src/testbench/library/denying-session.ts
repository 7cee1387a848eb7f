/**
 * The session of a denied boundary: every call that crosses it throws, in the program, and names the call.
 */

import type { Session } from '../../boundaries/session.ts'
import { RepriseError } from '../../errors/index.ts'

export function denyingSession(boundary: string): Session {
  const refuse = (what: string): never => {
    throw new RepriseError('boundary-denied', `${what} was used, and the boundary ${boundary} is denied`, {
      details: { boundary, what },
      hint: `give testbench another ${boundary}, or do not use it`,
    })
  }
  return {
    isLive: () => true,
    fields: new Map(),
    readClock: (api) => refuse(api),
    readRandom: (api) => refuse(api),
    readFact: (api, name) => refuse(name === api ? api : `${api} ${name}`),
    start: (_boundary, key) => refuse(key),
    answer: (_boundary, key) => refuse(key),
    allowsNetwork: () => false,
    note: () => undefined,
    gap: (_boundary, reason) => refuse(reason),
  }
}
