/**
 * `initState` makes a session or opens it; `resumeState` opens one that must be there, and counts what it finds as seen. Both give a handle, and close
 * what they opened when they fail.
 */
import { RepriseError } from '../errors/index.ts'
import { emitWarning, now } from '../real/index.ts'
import { activeStateCrossing } from '../tape/state-crossing.ts'
import { parseConflictPolicy } from './conflict.ts'
import type { Conflict, StateDriver } from './contract.ts'
import { createHandle, type StateHandle } from './handle.ts'
import { type DriverOptions, openDriver } from './open-driver.ts'
import { checkSessionId, chooseSessionId, freshId } from './session-id.ts'
import { createStateTape } from './state-tape.ts'
import type { Version } from './version.ts'
import { type WriterOptions, writerIdentity } from './writer.ts'

export type StateOptions = WriterOptions &
  DriverOptions & {
    /** What happens when a key was written by someone else: `ignore` (the default), `warn`, `error`, or one of upstream's other spellings. */
    readonly conflictPolicy?: string | undefined
    /** Called once per conflict under `warn`; a process warning unless given. */
    readonly onConflict?: ((conflict: Conflict) => void) | undefined
  }

export type InitOptions = StateOptions & { readonly sessionId?: string | undefined }

export async function initState(root: string, options: InitOptions = {}): Promise<StateHandle> {
  return openSession(
    root,
    () => chooseSessionId(options.sessionId),
    options,
    async (driver, sessionId) => {
      await driver.createSession(sessionId)
      return new Map()
    },
  )
}

export async function resumeState(root: string, sessionId: string, options: StateOptions = {}): Promise<StateHandle> {
  checkSessionId(sessionId)
  return openSession(
    root,
    () => sessionId,
    options,
    async (driver, _sessionId, policy) => {
      if (!(await driver.hasSession(sessionId))) throw missingSession(sessionId, driver.root)
      // Only where someone asks what was seen.
      return policy === 'ignore' ? new Map() : driver.versions(sessionId)
    },
  )
}

/** The sessions under a root, sorted. */
export async function listSessions(root: string, options: DriverOptions = {}): Promise<readonly string[]> {
  const crossing = activeStateCrossing()
  const chosen = { sessionId: '', instance: '' }
  const place = crossing === null ? null : await (await import('./taped/open.ts')).openTaped(crossing, root, options, chosen)
  const driver = place?.driver ?? (await openDriver(root, options))
  try {
    return await driver.sessions()
  } finally {
    await driver.close()
  }
}

async function openSession(
  root: string,
  choose: () => string,
  options: StateOptions,
  open: (driver: StateDriver, sessionId: string, policy: 'ignore' | 'warn' | 'error') => Promise<ReadonlyMap<string, Version>>,
): Promise<StateHandle> {
  const policy = parseConflictPolicy(options.conflictPolicy ?? '')
  const chosen = { sessionId: choose(), instance: freshId() }
  const crossing = activeStateCrossing()
  const place = crossing === null ? null : await (await import('./taped/open.ts')).openTaped(crossing, root, options, chosen)
  const driver = place?.driver ?? (await openDriver(root, options))
  const { sessionId, instance } = place ?? chosen
  try {
    const seen = await open(driver, sessionId, policy)
    const writer = writerIdentity(options, sessionId, instance)
    return createHandle({
      driver,
      sessionId,
      writer,
      policy,
      onConflict: options.onConflict ?? warnOf,
      tape: createStateTape(),
      now: crossing?.now ?? now,
      seen,
    })
  } catch (error) {
    await driver.close()
    throw error
  }
}

function missingSession(sessionId: string, root: string): RepriseError {
  return new RepriseError('state-session-missing', `agent_state.resume: session '${sessionId}' not found under ${root}`, {
    details: { sessionId, root },
    hint: 'init makes a session; sessions lists those that are there',
  })
}

function warnOf(conflict: Conflict): void {
  emitWarning(conflict.message, { type: 'StateConflict', code: 'state-conflict' })
}
