/**
 * Runs work that holds a session alone, and refuses what would wait for itself: a write through a handle from
 * inside a transaction on the same session.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { RepriseError } from '../errors/index.ts'
import type { ExclusiveView, StateDriver } from './contract.ts'
import { createStaging, type Staging } from './staging.ts'

type Hold = { readonly driver: StateDriver; readonly session: string; live: boolean }

/** Which sessions the running code holds. */
const held = new AsyncLocalStorage<readonly Hold[]>()

export type ExclusiveAccess = {
  refuseNested(): void
  /** All changes that the work staged are applied, or none. */
  exclusively<T>(work: (staging: Staging) => Promise<T>): Promise<T>
}

export function createExclusiveAccess(driver: StateDriver, session: string): ExclusiveAccess {
  const refuseNested = (): void => {
    if (
      held
        .getStore()
        ?.some((one) => one.live && one.session === session && isSamePlace(one.driver, driver)) !== true
    )
      return
    throw new RepriseError(
      'state-transaction-nested',
      'agent_state: this session is in a transaction of the same code',
      {
        hint: 'use the object that the transaction gives, not the handle',
      },
    )
  }
  return {
    refuseNested,
    async exclusively(work) {
      refuseNested()
      const outer = held.getStore() ?? []
      const failed: { error?: unknown } = {}
      const exclusive = driver.exclusive(session, async (view) => {
        const ofDriver = new Set<unknown>()
        const staging = createStaging(noting(view, ofDriver))
        const hold: Hold = { driver, session, live: true }
        try {
          const result = await held.run([...outer, hold], () => work(staging))
          return { result, changes: staging.changes() }
        } catch (error) {
          if (ofDriver.has(error)) throw error
          // The caller's own error may look like one of the system or the database: the driver must not take
          // it for that.
          failed.error = error
          throw new RepriseError('internal', 'agent_state: the work was given up', { cause: error })
        } finally {
          // What the work started and did not wait for may use the handle again.
          hold.live = false
        }
      })
      return exclusive.catch((error: unknown) => {
        throw 'error' in failed ? failed.error : error
      })
    },
  }
}

/** The same view; what its own calls throw is noted. */
function noting(view: ExclusiveView, thrown: Set<unknown>): ExclusiveView {
  const note = (error: unknown): never => {
    thrown.add(error)
    throw error
  }
  return {
    load: (key) => view.load(key).catch(note),
    clash: (key) => view.clash(key).catch(note),
    list: () => view.list().catch(note),
  }
}

/** Two handles of one place; `memory:` without a name is a place of its own each time. */
function isSamePlace(a: StateDriver, b: StateDriver): boolean {
  return a === b || (a.root === b.root && a.root !== 'memory:')
}
