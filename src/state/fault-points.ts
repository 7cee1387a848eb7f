/**
 * The named places in the write paths of the filesystem driver where a test can make the world fail: before
 * each step that can, and after the commit.
 */
import { faultPoint } from '../base/index.ts'

export const stateFaultPoints = [
  // one change
  'state.stage-content',
  'state.stage-metadata',
  'state.flush',
  'state.staged',
  'state.keep',
  'state.rename-metadata',
  'state.rename-content',
  'state.renamed',
  'state.flush-folders',
  // a deletion
  'state.rename-deletion',
  'state.remove-content',
  'state.remove-metadata',
  // several changes
  'state.transaction-write',
  'state.transaction-commit',
  'state.transaction-committed',
  'state.transaction-step',
  // a lock whose owner is gone
  'state.takeover',
] as const

export type StateFaultPoint = (typeof stateFaultPoints)[number]

export function stateFault(point: StateFaultPoint): void {
  faultPoint(point)
}
