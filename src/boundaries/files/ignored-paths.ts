/**
 * Files that are not captured because the user ignores them: `--ignore` patterns over portable paths. A tape
 * has the patterns too, and may contain anything: a path is compared with all ways through a pattern at once,
 * so the time is at most the product of their lengths.
 */

/**
 * `*` and `?` stay inside a name, `**` does not, `{a,b}` is either. A pattern without a slash matches a name
 * anywhere; a folder matches everything below it.
 */
export function ignoredPaths(patterns: readonly string[]): (portable: string) => boolean {
  const matchers = patterns.map(matcherOf)
  return matchers.length === 0 ? () => false : (path) => matchers.some((matches) => matches(path))
}

/** One step of a pattern: takes the character with this code, or one of these sorts. */
const NAME_CHAR = -1
const ANY_CHAR = -2
/** Takes nothing, and goes on at both places of the step. */
const FORK = -3
const NOWHERE = -1

/** `takes` has a code or a sort for each step; after it, the path goes on at `next`, of a fork also at `other`. */
type Steps = { readonly takes: number[]; readonly next: number[]; readonly other: number[] }

function matcherOf(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
  const steps: Steps = { takes: [], next: [], other: [] }
  if (!trimmed.includes('/')) addFolders(steps)
  addPattern(steps, trimmed)
  const below = addFork(steps)
  add(steps, SLASH)
  addRepeated(steps, ANY_CHAR)
  steps.other[below] = steps.takes.length
  return (path) => isMatch(steps, path)
}

const SLASH = '/'.charCodeAt(0)

function addPattern(steps: Steps, pattern: string): void {
  const open: { fork: number; readonly ends: number[] }[] = []
  const close = (): void => {
    const group = open.pop()
    if (group === undefined) return
    steps.other[group.fork] = NOWHERE
    for (const end of group.ends) steps.next[end] = steps.takes.length
  }
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at]
    const group = open[open.length - 1]
    if (pattern.startsWith('**/', at)) {
      addFolders(steps)
      at += 2
    } else if (pattern.startsWith('**', at)) {
      addRepeated(steps, ANY_CHAR)
      at += 1
    } else if (char === '*') addRepeated(steps, NAME_CHAR)
    else if (char === '?') add(steps, NAME_CHAR)
    else if (char === '{' && pattern.includes('}', at)) open.push({ fork: addFork(steps), ends: [] })
    else if (char === '}' && group !== undefined) close()
    else if (char === ',' && group !== undefined) {
      const end = addFork(steps)
      steps.other[end] = NOWHERE
      group.ends.push(end)
      steps.other[group.fork] = steps.takes.length
      group.fork = addFork(steps)
    } else add(steps, pattern.charCodeAt(at))
  }
  while (open.length > 0) close()
}

/** `**` and a slash: nothing, or folders. */
function addFolders(steps: Steps): void {
  const fork = addFork(steps)
  addRepeated(steps, ANY_CHAR)
  add(steps, SLASH)
  steps.other[fork] = steps.takes.length
}

function addRepeated(steps: Steps, sort: number): void {
  const fork = addFork(steps)
  steps.next[add(steps, sort)] = fork
  steps.other[fork] = steps.takes.length
}

/** Both return the number of the step, which goes on at the one after it. */
function addFork(steps: Steps): number {
  return add(steps, FORK)
}

function add(steps: Steps, takes: number): number {
  steps.takes.push(takes)
  steps.next.push(steps.takes.length)
  steps.other.push(NOWHERE)
  return steps.takes.length - 1
}

function isMatch({ takes, next, other }: Steps, path: string): boolean {
  /** The character before which a step was reached last, so that it is followed once for each. */
  const reached = new Int32Array(takes.length + 1).fill(-1)
  let here: number[] = []
  const waiting: number[] = []
  const reach = (step: number, at: number): void => {
    waiting.push(step)
    for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
      if (each === NOWHERE || reached[each] === at) continue
      reached[each] = at
      if (takes[each] === FORK) waiting.push(other[each] ?? NOWHERE, next[each] ?? NOWHERE)
      else here.push(each)
    }
  }
  reach(0, 0)
  for (let at = 0; at < path.length && here.length > 0; at += 1) {
    const code = path.charCodeAt(at)
    const before = here
    here = []
    for (const step of before) {
      const taken = takes[step]
      if (taken === code || taken === ANY_CHAR || (taken === NAME_CHAR && code !== SLASH))
        reach(next[step] ?? NOWHERE, at + 1)
    }
  }
  return reached[takes.length] === path.length
}
