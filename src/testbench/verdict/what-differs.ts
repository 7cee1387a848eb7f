/**
 * What an agent did differently than in the recorded run, in words: its requests, starts, writes, sent data,
 * and its end. What it received is not included: that is the edit, or follows from it.
 */
import type { FidelityReport, Finding, Place } from '../../fidelity/index.ts'
import { applyReplayPolicy } from '../../fidelity/replay-policy.ts'
import { runEndDivergence } from './run-end.ts'

export type ActionDifference = {
  readonly type: 'added' | 'left out' | 'changed' | 'end'
  readonly sentence: string
  /** The records: of the parent, of the new tape. */
  readonly recorded: number | null
  readonly now: number | null
}

const MOST_LISTED = 100

/** Kinds that are written when the program does something. */
const ACTIONS: ReadonlySet<string> = new Set([
  'effect_start',
  'file_write',
  'file_delete',
  'fs_call',
  'process_spawn',
  'server_answer',
])

export type ActionDifferences = {
  readonly differences: readonly ActionDifference[]
  /** Positions where the runs differ in something else: answers, times, or more than are listed. */
  readonly others: number
}

/** `compared` is null if both runs are the same. `isCut`: a refusal ended the run. */
export function actionDifferences(
  compared: FidelityReport | null,
  edited: ReadonlySet<number>,
  isCut: boolean,
): ActionDifferences {
  if (compared === null) return { differences: [], others: 0 }
  const { findings, findingCount } = applyReplayPolicy(compared)
  // Missing actions of a run that was cut do not count against the agent.
  const ends = isCut ? [] : findings.filter(isEnd)
  const actions = findings.filter(
    (finding) =>
      !isEnd(finding) &&
      isAction(finding, edited) &&
      !(isCut && (finding.replayed === null || isLast(finding))),
  )
  const listed = actions.slice(0, MOST_LISTED).flatMap(differenceOf)
  const differences = [...listed, ...ends.flatMap(endOf)]
  return { differences, others: Math.max(0, findingCount - ends.length - listed.length) }
}

function isEnd({ recorded, replayed }: Finding): boolean {
  return recorded === null && replayed === null
}

/** In a run that was cut: the request that ended it, which the report has in its own words. */
function isLast({ replayed, recorded }: Finding): boolean {
  return replayed?.kind === 'effect_start' && recorded !== null && recorded.key !== replayed.key
}

/** Timers and real work are no actions: they have no effect outside. */
function isAction({ recorded, replayed }: Finding, edited: ReadonlySet<number>): boolean {
  if (recorded !== null && edited.has(recorded.seq)) return false
  // A call of MCP that both runs made differs in its answer, which the program was given.
  const only = recorded === null || replayed === null ? (recorded ?? replayed) : null
  if (only?.kind === 'mcp_json_rpc') return true
  return [recorded, replayed].some((place) => place !== null && isActionPlace(place))
}

function isActionPlace({ kind, summary, key }: Place): boolean {
  if (!ACTIONS.has(kind)) return false
  if (kind === 'effect_start') return !/^effect_start (?:clock|offthread|random) /.test(summary)
  if (kind === 'server_answer') return true
  return kind === 'file_write' || kind === 'file_delete' || key !== undefined
}

function differenceOf(finding: Finding): ActionDifference[] {
  const { recorded, replayed, divergences } = finding
  const places = { recorded: recorded?.seq ?? null, now: replayed?.seq ?? null }
  if (recorded === null || replayed === null) {
    const place = recorded ?? replayed
    if (place === null) return []
    const what = nameOf(place)
    return recorded === null
      ? [{ type: 'added', sentence: `it did something new: ${what}`, ...places }]
      : [{ type: 'left out', sentence: `it did not do: ${what} (record ${recorded.seq})`, ...places }]
  }
  const [then, now] = [nameOf(recorded), nameOf(replayed)]
  if (then !== now)
    return [{ type: 'changed', sentence: `instead of ${then} (record ${recorded.seq}): ${now}`, ...places }]
  const [first] = divergences
  if (first?.category === 'out_of_order')
    return [
      { type: 'changed', sentence: `it did ${now} in another order (record ${recorded.seq})`, ...places },
    ]
  const where = first?.path == null ? '' : `, at ${placeIn(finding)}`
  if (replayed.kind === 'server_answer')
    return [
      {
        type: 'changed',
        sentence: `it answered a request differently${where} (record ${recorded.seq})`,
        ...places,
      },
    ]
  return [
    {
      type: 'changed',
      sentence: `it did ${now} with another content${where} (record ${recorded.seq})`,
      ...places,
    },
  ]
}

/** The first field that differs, with both values if they are short. */
function placeIn({ divergences }: Finding): string {
  const [first] = divergences
  const inside = first?.payload?.form === 'json' ? first.payload.differences[0] : undefined
  return inside?.path ?? first?.path ?? ''
}

function endOf(finding: Finding): ActionDifference[] {
  return runEndDivergence(finding).map(({ category, message, expected, actual }) => ({
    type: 'end',
    sentence:
      category === 'exit_code'
        ? `it ended with ${actual} instead of ${expected}`
        : message.replace(/^(\w+) diverged: recorded=(\d+) bytes replay=(\d+) bytes$/, OUTPUT),
    recorded: null,
    now: null,
  }))
}

const OUTPUT = 'it printed something else to $1: $3 bytes instead of $2'

function nameOf({ summary, key }: Place): string {
  return key ?? summary.replace(/^effect_start \S+ /, '').replace(/^mcp_json_rpc /, 'MCP call ')
}
