/**
 * The environment of a child that a library of the program starts, not Node: what the program set, and which
 * names it passes on. `given` is what the program named for it.
 */
import { processOwners } from '../../real/process-owners.ts'
import type { ChildStart } from '../child-contract.ts'
import { readForNode } from '../env/process-env.ts'
import type { Session } from '../session.ts'
import { childEnv } from './spawn-call.ts'

export function passedEnvironment(
  session: Session,
  isLive: boolean,
  given: unknown,
): Required<Pick<ChildStart, 'env' | 'inherited'>> {
  const own: NodeJS.ProcessEnv = processOwners.process.env
  if (typeof given === 'object' && given !== null && given !== own) return childEnv(session, pairsOf(given))
  // The program passes on all variables without reading them.
  return readForNode(isLive, () => childEnv(session, pairsOf(own)))
}

function pairsOf(env: object): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
}
