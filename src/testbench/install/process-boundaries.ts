/**
 * Every boundary of a session, installed together: one list for recording and replaying, so that both capture
 * the same.
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
import {
  allPatches,
  installPatches,
  type Patch,
  type PatchSet,
  updatingImportsOnce,
} from '../../boundaries/patches.ts'
import { addonPatch } from '../../boundaries/process/addons.ts'
import { processSet } from '../../boundaries/process/index.ts'
import { randomSet } from '../../boundaries/random/index.ts'
import { reportDenials } from '../../boundaries/refusal/denied-by-node.ts'
import { installRefusals } from '../../boundaries/refusal/refused-calls.ts'
import { serverSet } from '../../boundaries/server/index.ts'
import type { Session } from '../../boundaries/session.ts'
import { ttyPatches } from '../../boundaries/stdio/output-terminals.ts'
import { namedStdinOf, stdinPatches } from '../../boundaries/stdio/stdin.ts'
import { terminalPatches } from '../../boundaries/terminal/node-pty.ts'
import { statePatches } from './state-crossing.ts'

/** The patches of each boundary. A new boundary is a row here and a name in boundaries/names.ts. */
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
  stdio: { atOnce: stdinPatches, late: [ttyPatches] },
}

export function patchesOf(boundary: CrossingName): Patch[] {
  return allPatches(patches[boundary])
}

export function boundaryPatches(): Patch[] {
  return Object.values(patches).flatMap(allPatches)
}

/** A frozen property cannot be refused; a session of part of a process continues without it. */
const frozen = (): void => undefined

/** Patches of a session in a process that also does other things, with the refused calls. */
export function installForSession(patches: readonly Patch[]): Disposable {
  const { installed, refusals } = updatingImportsOnce(() => ({
    installed: installPatches([...patches, addonPatch()]),
    refusals: installRefusals(frozen),
  }))
  return {
    [Symbol.dispose]() {
      refusals[Symbol.dispose]()
      installed[Symbol.dispose]()
    },
  }
}

/** `refused` is called for each patch that its owner does not accept. */
function installAll(more: readonly Patch[], refused: Refused): Disposable {
  const sets = Object.entries(patches)
  const boundaryOf = new Map(sets.flatMap(([name, set]) => set.atOnce().map((patch) => [patch, name])))
  const atOnce = installPatches([...boundaryOf.keys(), addonPatch(), ...more], true, (patch) =>
    refused(boundaryOf.get(patch) ?? 'process', patch),
  )
  const late = sets.map(([name, set]) => installLatePatches(set.late, (patch) => refused(name, patch)))
  const refusals = installRefusals((patch) => refused('process', patch))
  const denials = reportDenials()
  return {
    [Symbol.dispose]() {
      denials[Symbol.dispose]()
      refusals[Symbol.dispose]()
      for (const one of late.reverse()) one[Symbol.dispose]()
      atOnce[Symbol.dispose]()
    },
  }
}

type Refused = (boundary: string, patch: Patch) => void

export type InstalledForProcess = Disposable & {
  /** The process ends: nothing belongs to the session any more. The patches stay, and pass every call on. */
  end(): void
}

/** `namesFacts`: the program imports facts of the process by name, so that they are read here. */
export function installForProcess(
  session: Session,
  more: readonly Patch[],
  namesFacts: boolean,
): InstalledForProcess {
  const refused: Refused = (boundary, { property }) =>
    session.gap(
      label(boundary),
      `${String(property)} was frozen before the recording began: its calls are not recorded`,
    )
  // The patches are installed before the session begins: the program did not cause them.
  const install = (): Disposable =>
    namedStdinOf(session, () => updatingImportsOnce(() => installAll(more, refused)))
  const patches = namesFacts ? namedFactsOf(session, install) : install()
  const current = sessionOfProcess(session)
  return {
    end: () => current[Symbol.dispose](),
    [Symbol.dispose]() {
      current[Symbol.dispose]()
      patches[Symbol.dispose]()
    },
  }
}

/** Which boundaries these write to the tape. */
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
