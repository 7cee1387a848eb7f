/**
 * `initState` makes a session or opens it; `resumeState` opens one that must be there, and counts what it
 * finds as seen; `openState` opens the session of a serialised handle again, with its writer and its policy.
 * All give a handle, and close what they opened when they fail.
 */
import { RepriseError } from '../errors/index.ts'
import { emitWarning, now } from '../real/index.ts'
import { activeStateCrossing } from '../tape/state-crossing.ts'
import { parseConflictPolicy } from './conflict.ts'
import type { Conflict, StateDriver } from './contract.ts'
import { createHandle, type StateHandle } from './handle.ts'
import { type DriverOptions, openDriver } from './open-driver.ts'
import {
  type CheckedOptions,
  checkOptions,
  type InitOptions,
  initRequest,
  type StateOptions,
  wrongArguments,
} from './options.ts'
import { readSerialisedHandle } from './serialised-handle.ts'
import { checkSessionId, chooseSessionId, freshId } from './session-id.ts'
import { createStateTape } from './state-tape.ts'
import type { Version } from './version.ts'
import { writerIdentity } from './writer.ts'

/** The second form of the original. */
export function initState(sessionId: string, root: string, options?: StateOptions): Promise<StateHandle>
export function initState(root: string, options?: InitOptions): Promise<StateHandle>
export async function initState(first: unknown, second?: unknown, third?: unknown): Promise<StateHandle> {
  const request = initRequest(first, second, third)
  return openSession(
    request.root,
    () =>
      typeof second === 'string'
        ? checkSessionId(request.sessionId ?? '')
        : chooseSessionId(request.sessionId),
    request.options,
    async (driver, sessionId) => {
      await driver.createSession(sessionId)
      return new Map()
    },
  )
}

export async function resumeState(
  root: string,
  sessionId: string,
  options: StateOptions = {},
): Promise<StateHandle> {
  checkSessionId(sessionId)
  const checked = checkOptions('resume', options)
  if (checked.sessionId !== undefined && checked.sessionId !== sessionId) {
    throw wrongArguments(
      'resume',
      `the option sessionId '${checked.sessionId}' is not the session '${sessionId}' that is to be resumed`,
    )
  }
  return openSession(
    root,
    () => sessionId,
    checked,
    async (driver, _sessionId, policy) => {
      if (!(await driver.hasSession(sessionId))) throw missingSession(sessionId, driver.root)
      // Only where someone asks what was seen.
      return policy === 'ignore' ? new Map() : driver.versions(sessionId)
    },
  )
}

/**
 * Opens the session of a handle that was written as JSON, in this process or another. Like the functions of
 * the original it makes the session where it is gone; what is there counts as seen.
 */
export async function openState(
  handle: unknown,
  options: Pick<StateOptions, 'onConflict' | keyof DriverOptions> = {},
): Promise<StateHandle> {
  const { root, sessionId, conflictPolicy, writer } = readSerialisedHandle(handle)
  const ids = {
    writerId: writer?.writerId ?? undefined,
    stageId: writer?.stageId ?? undefined,
    workerId: writer?.workerId ?? undefined,
  }
  return openSession(
    root,
    () => checkSessionId(sessionId),
    { ...checkOptions('open', options), conflictPolicy, ...ids },
    async (driver, _sessionId, policy) => {
      await driver.createSession(sessionId)
      return policy === 'ignore' ? new Map() : driver.versions(sessionId)
    },
  )
}

/** The sessions under a root, sorted. */
export async function listSessions(root: string, options: DriverOptions = {}): Promise<readonly string[]> {
  const crossing = activeStateCrossing()
  const chosen = { sessionId: '', instance: '' }
  const place =
    crossing === null
      ? null
      : await (await import('./taped/open.ts')).openTaped(crossing, root, options, chosen)
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
  options: CheckedOptions,
  open: (
    driver: StateDriver,
    sessionId: string,
    policy: 'ignore' | 'warn' | 'error',
  ) => Promise<ReadonlyMap<string, Version>>,
): Promise<StateHandle> {
  const policy = parseConflictPolicy(options.conflictPolicy ?? '')
  const chosen = { sessionId: choose(), instance: freshId() }
  const crossing = activeStateCrossing()
  const place =
    crossing === null
      ? null
      : await (await import('./taped/open.ts')).openTaped(crossing, root, options, chosen)
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
  return new RepriseError(
    'state-session-missing',
    `agent_state.resume: session '${sessionId}' not found under ${root}`,
    {
      details: { sessionId, root },
      hint: 'init makes a session; sessions lists those that are there',
    },
  )
}

function warnOf(conflict: Conflict): void {
  emitWarning(conflict.message, { type: 'StateConflict', code: 'state-conflict' })
}
