/**
 * Every boundary of a session, installed together: one list for recording and replaying, so that neither sees
 * more.
 */
import { label } from '../../base/index.ts'
import { clockPatches } from '../../boundaries/clock/index.ts'
import { sessionOfProcess } from '../../boundaries/context.ts'
import { namedFactsOf } from '../../boundaries/env/facts.ts'
import { envPatches } from '../../boundaries/env/index.ts'
import { databaseSet } from '../../boundaries/files/databases.ts'
import { filesPatches } from '../../boundaries/files/index.ts'
import { installLatePatches } from '../../boundaries/late-patches.ts'
import type { CrossingName } from '../../boundaries/names.ts'
import { networkSet } from '../../boundaries/network/index.ts'
import { offthreadSet } from '../../boundaries/offthread/index.ts'
import { allPatches, installPatches, type Patch, type PatchSet } from '../../boundaries/patches.ts'
import { processSet } from '../../boundaries/process/index.ts'
import { randomSet } from '../../boundaries/random/index.ts'
import { installRefusals } from '../../boundaries/refusal/refused-calls.ts'
import { serverSet } from '../../boundaries/server/index.ts'
import type { Session } from '../../boundaries/session.ts'
import { namedStdinOf, stdinPatches } from '../../boundaries/stdio/stdin.ts'
import { terminalPatches } from '../../boundaries/terminal/node-pty.ts'
import { statePatches } from './state-crossing.ts'

/** What each boundary patches. A new boundary is a row here and a name in boundaries/names.ts. */
const patches: Readonly<Record<CrossingName, PatchSet>> = {
  clock: { atOnce: clockPatches, late: [] },
  random: randomSet,
  env: { atOnce: envPatches, late: [] },
  network: {
    atOnce: networkSet.atOnce,
    late: [...networkSet.late, ...serverSet.late],
  },
  offthread: offthreadSet,
  filesystem: {
    atOnce: () => [...filesPatches(), ...databaseSet.atOnce(), ...statePatches()],
    late: databaseSet.late,
  },
  process: processSet,
  terminal: { atOnce: terminalPatches, late: [] },
  mcp: { atOnce: () => [], late: [] },
  stdio: { atOnce: stdinPatches, late: [] },
}

export function patchesOf(boundary: CrossingName): Patch[] {
  return allPatches(patches[boundary])
}

export function boundaryPatches(): Patch[] {
  return Object.values(patches).flatMap(allPatches)
}

/** What is frozen cannot be refused; a session of part of a process goes on without. */
const frozen = (): void => undefined

/** Patches of a session in a process that does other things too, with what is refused. */
export function installForSession(patches: readonly Patch[]): Disposable {
  const installed = installPatches(patches)
  const refusals = installRefusals(frozen)
  return {
    [Symbol.dispose]() {
      refusals[Symbol.dispose]()
      installed[Symbol.dispose]()
    },
  }
}

/** `refused` is called for each patch that its owner does not take. */
function installAll(more: readonly Patch[], refused: Refused): Disposable {
  const sets = Object.entries(patches)
  const boundaryOf = new Map(sets.flatMap(([name, set]) => set.atOnce().map((patch) => [patch, name])))
  const atOnce = installPatches([...boundaryOf.keys(), ...more], true, (patch) =>
    refused(boundaryOf.get(patch) ?? 'process', patch),
  )
  const late = sets.map(([name, set]) => installLatePatches(set.late, (patch) => refused(name, patch)))
  const refusals = installRefusals((patch) => refused('process', patch))
  return {
    [Symbol.dispose]() {
      refusals[Symbol.dispose]()
      for (const one of late.reverse()) one[Symbol.dispose]()
      atOnce[Symbol.dispose]()
    },
  }
}

type Refused = (boundary: string, patch: Patch) => void

/** `namesFacts`: the program imports facts of the process by name, so that they are read here. */
export function installForProcess(session: Session, more: readonly Patch[], namesFacts: boolean): Disposable {
  const refused: Refused = (boundary, { property }) =>
    session.gap(
      label(boundary),
      `${String(property)} was frozen before the recording began: its calls are not recorded`,
    )
  // The patches are put in place before the session begins: they are not the program's doing.
  const install = (): Disposable => namedStdinOf(session, () => installAll(more, refused))
  const patches = namesFacts ? namedFactsOf(session, install) : install()
  const current = sessionOfProcess(session)
  return {
    [Symbol.dispose]() {
      current[Symbol.dispose]()
      patches[Symbol.dispose]()
    },
  }
}

/** Which boundaries these put on the tape. */
export const capturedBoundaries = {
  clock: 'captured',
  random: 'captured',
  env: 'captured',
  stdio: 'captured',
  network: 'captured',
  filesystem: 'captured',
  process: 'captured',
  offthread: 'captured',
  terminal: 'captured',
  mcp: 'captured',
} as const
