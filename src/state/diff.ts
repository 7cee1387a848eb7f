/** The difference of two contents as a unified diff. */
import { type HunkForm, hunks } from '../base/hunks.ts'

const FORM: HunkForm = { joinedWithin: 5, countOfOne: 'shown' }

export function unifiedDiff(before: string, after: string, nameBefore: string, nameAfter: string): string {
  return before === after ? '' : `--- ${nameBefore}\n+++ ${nameAfter}\n${hunks(before, after, FORM)}`
}
