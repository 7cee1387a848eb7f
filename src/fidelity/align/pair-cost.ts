/**
 * What it costs to call two records the same place of both runs: nothing if they are equal, and less the more
 * they are about the same thing.
 */
import { kindName } from '../../tape/kinds.ts'
import { subjectOf } from '../summary.ts'
import { ALONE, type PairCost } from './edit-script.ts'
import type { Feed } from './feed.ts'
import type { Lookahead } from './wavefront.ts'

const DRIFTED = ALONE - 1
const SAME_SUBJECT = ALONE
const SAME_KIND = ALONE + 2
const STRANGERS = ALONE + 5

export type CostSide = { readonly feed: Feed; readonly exact: Lookahead; readonly content: Lookahead }

export function pairCost(left: CostSide, right: CostSide): PairCost {
  const subjects = [subjectsOf(left.feed), subjectsOf(right.feed)] as const
  return (leftAt, rightAt) => {
    if (left.content.id(leftAt) === right.content.id(rightAt))
      return left.exact.id(leftAt) === right.exact.id(rightAt) ? 0 : DRIFTED
    if (kindName(left.feed.at(leftAt).record.kind) !== kindName(right.feed.at(rightAt).record.kind))
      return STRANGERS
    return subjects[0](leftAt) === subjects[1](rightAt) ? SAME_SUBJECT : SAME_KIND
  }
}

function subjectsOf(feed: Feed): (index: number) => string {
  const known = new Map<number, string>()
  return (index) => {
    const subject = known.get(index) ?? subjectOf(feed.at(index).record.kind)
    known.set(index, subject)
    return subject
  }
}
