/**
 * What changed in the servers of two runs. Pure: computed from the messages alone.
 *
 * Servers are paired by name; a run with one server is compared with a run with one server, whatever their
 * names. Answers are compared call by call: the third answer to a call with the third answer to an equal one.
 * A call that only one run made does not count as a change of the server.
 */
import type { Json, JsonObject } from '../../../base/index.ts'
import { jsonDifferences } from '../../../fidelity/index.ts'
import type { McpInteraction } from '../interaction.ts'
import type { McpChange } from './change.ts'
import { capabilityChanges, offerChanges } from './offer-changes.ts'
import { type CallView, type OfferArea, type ServerView, serverView } from './server-view.ts'

export type McpDiff = {
  readonly same: boolean
  readonly breaking: boolean
  readonly servers: readonly string[]
  readonly changes: readonly McpChange[]
  /** Calls whose answers were compared, and calls that only one run made. */
  readonly calls: { readonly compared: number; readonly only_in_a: number; readonly only_in_b: number }
  /** What could not be compared because one run does not contain it. */
  readonly not_compared: readonly { readonly server: string; readonly area: string }[]
}

type Named = McpInteraction & { readonly server: string }

const AREAS: readonly OfferArea[] = ['tool', 'prompt', 'resource', 'resource_template']

export function diffServers(a: readonly Named[], b: readonly Named[]): McpDiff {
  const [left, right] = [viewsOf(a), viewsOf(b)]
  const pairs = pairUp(left, right)
  const changes = pairs.flatMap(([before, after]): McpChange[] => {
    if (before === null) return [server(after?.name ?? '', 'added', false)]
    if (after === null) return [server(before.name, 'removed', true)]
    return [...greetingChanges(before, after), ...areaChanges(before, after), ...answerChanges(before, after)]
  })
  const both = pairs.flatMap(([before, after]) =>
    before === null || after === null ? [] : [[before, after] as const],
  )
  const count = (mine: ServerView, other: ServerView): number =>
    [...mine.calls.keys()].filter((key) => !other.calls.has(key)).length
  const sum = (of: (before: ServerView, after: ServerView) => number): number =>
    both.reduce((total, [x, y]) => total + of(x, y), 0)
  return {
    same: changes.length === 0,
    breaking: changes.some(({ breaking }) => breaking),
    servers: pairs.map(([before, after]) => before?.name ?? after?.name ?? ''),
    changes,
    calls: {
      compared: sum((x, y) => x.calls.size - count(x, y)),
      only_in_a: sum((x, y) => count(x, y)),
      only_in_b: sum((x, y) => count(y, x)),
    },
    not_compared: both.flatMap(([before, after]) => notCompared(before, after)),
  }
}

function viewsOf(interactions: readonly Named[]): readonly ServerView[] {
  const groups = new Map<string, Named[]>()
  for (const interaction of interactions) {
    const known = groups.get(interaction.server)
    if (known === undefined) groups.set(interaction.server, [interaction])
    else known.push(interaction)
  }
  return [...groups].map(([name, group]) => serverView(name, group))
}

function pairUp(
  a: readonly ServerView[],
  b: readonly ServerView[],
): readonly (readonly [ServerView | null, ServerView | null])[] {
  const [onlyA, onlyB] = [a[0], b[0]]
  if (a.length === 1 && b.length === 1 && onlyA !== undefined && onlyB !== undefined) return [[onlyA, onlyB]]
  return [
    ...a.map((view) => [view, b.find(({ name }) => name === view.name) ?? null] as const),
    ...b.filter((view) => !a.some(({ name }) => name === view.name)).map((view) => [null, view] as const),
  ]
}

function server(name: string, change: 'added' | 'removed', breaking: boolean): McpChange {
  return {
    server: name,
    area: 'server',
    name: null,
    change,
    path: null,
    before: change === 'removed' ? name : null,
    after: change === 'added' ? name : null,
    breaking,
  }
}

/**
 * Changes of name, version, protocol and instructions are reported and break no client; capabilities have
 * their own rules.
 */
function greetingChanges(
  { name, greeting: before }: ServerView,
  { greeting: after }: ServerView,
): McpChange[] {
  if (before === null || after === null) return []
  const words = ({ capabilities: _capabilities, _meta, ...rest }: JsonObject): Json => rest
  return [
    ...jsonDifferences(words(before), words(after)).differences.map(
      ({ path, change, expected, actual }): McpChange => {
        return {
          server: name,
          area: 'server',
          name: null,
          change,
          path,
          before: expected,
          after: actual,
          breaking: false,
        }
      },
    ),
    ...capabilityChanges(name, before.capabilities, after.capabilities),
  ]
}

function areaChanges(before: ServerView, after: ServerView): McpChange[] {
  return AREAS.flatMap((area) => {
    const [left, right] = [before.offers[area], after.offers[area]]
    return left === null || right === null ? [] : offerChanges(before.name, area, left, right)
  })
}

function notCompared(
  before: ServerView,
  after: ServerView,
): readonly { readonly server: string; readonly area: string }[] {
  const missing: (readonly [string, unknown, unknown])[] = [
    ['server', before.greeting, after.greeting],
    ...AREAS.map((area) => [area, before.offers[area], after.offers[area]] as const),
  ]
  return missing
    .filter(([, left, right]) => (left === null) !== (right === null))
    .map(([area]) => ({ server: before.name, area }))
}

/**
 * A different answer is reported as such; whether it breaks a client is unknown, except for an error in place
 * of a result.
 */
function answerChanges(before: ServerView, after: ServerView): McpChange[] {
  return [...before.calls].flatMap(([key, call]) => {
    const other = after.calls.get(key)
    return other === undefined ? [] : pairedAnswers(before.name, call, other)
  })
}

function pairedAnswers(serverName: string, call: CallView, other: CallView): McpChange[] {
  const count = Math.min(call.answers.length, other.answers.length)
  return call.answers.slice(0, count).flatMap((answer, at) => {
    const now = other.answers[at]
    if (now === undefined || answer.text === now.text) return []
    const name = count === 1 ? call.subject : `${call.subject} (${at + 1} of ${count})`
    const breaking = hasError(now.value) && !hasError(answer.value)
    const { differences } = jsonDifferences(answer.value, now.value)
    const shown =
      differences.length > 0
        ? differences
        : [{ path: '$', change: 'changed', expected: answer.value, actual: now.value } as const]
    return shown.map(({ path, change, expected, actual }): McpChange => {
      return {
        server: serverName,
        area: 'answer',
        name,
        change,
        path,
        before: expected,
        after: actual,
        breaking,
      }
    })
  })
}

function hasError(answer: Json): boolean {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}
