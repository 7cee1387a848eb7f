/**
 * What is on a tape, in lines for a person: where it comes from, what of the world it holds, how many records
 * of each kind. A header field that is not known here is shown as JSON, so that nothing in a header
 * is hidden.
 */
import type { Json } from '../base/index.ts'
import type { TapeSummary } from '../tape/inspect.ts'

const MAX_CALLS_SHOWN = 50

export function tapeSummaryText(path: string, summary: TapeSummary): string[] {
  return [
    `${path}: ${summary.records} records, ${summary.sealed ? 'sealed' : 'not sealed'}`,
    ...headerFacts(summary.header).map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    ...byState(summary.boundaries).map(([state, boundaries]) => `  ${state.padEnd(12)} ${boundaries}`),
    ...Object.entries(summary.kinds).map(([kind, count]) => `  ${kind.padEnd(22)} ${count}`),
    ...(summary.cas.entries > 0
      ? [`  payloads in the CAS    ${summary.cas.entries} (${summary.cas.bytes} bytes)`]
      : []),
    ...summary.gaps.map(({ seq, boundary, reason }) => `  gap at ${seq}: ${boundary}: ${reason}`),
    ...calls(summary),
  ]
}

/**
 * Shown in another way: the program by its command, `type` by being a header; the digests of modules are for
 * programs.
 */
const UNSAID = new Set(['type', 'modules', 'script_path', 'argv', 'harn_version'])

function headerFacts(header: Json): [string, string][] {
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return []
  const ours = 'producer' in header
  const facts: [string, string][] = []
  for (const [name, value] of Object.entries(header)) {
    if (
      (ours ? UNSAID.has(name) : name === 'type') ||
      value === null ||
      (Array.isArray(value) && value.length === 0)
    )
      continue
    const text = name === 'boundaries' ? unusualSources(value) : factText(value)
    if (text !== '') facts.push([name === 'boundaries' ? 'sources' : name, text])
  }
  return facts
}

function factText(value: Json): string {
  if (typeof value === 'string') return value
  if (isCommand(value))
    return value.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  return JSON.stringify(value)
}

function isCommand(value: Json): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

/** Where the values came from, of the boundaries that were not simply recorded from the real world. */
function unusualSources(boundaries: Json): string {
  if (typeof boundaries !== 'object' || boundaries === null || Array.isArray(boundaries))
    return JSON.stringify(boundaries)
  return Object.entries(boundaries)
    .filter(([, how]) => JSON.stringify(how) !== '{"mode":"record","source":"real"}')
    .map(([name, how]) => `${name} ${JSON.stringify(how)}`)
    .join(', ')
}

function byState(boundaries: Json): [string, string][] {
  if (typeof boundaries !== 'object' || boundaries === null || Array.isArray(boundaries)) return []
  const states = new Map<string, string[]>()
  for (const [boundary, state] of Object.entries(boundaries)) {
    const name = typeof state === 'string' ? state.replaceAll('_', ' ') : JSON.stringify(state)
    states.set(name, [...(states.get(name) ?? []), boundary])
  }
  return [...states].map(([state, names]) => [state, names.join(', ')])
}

function calls({ mcp, kinds }: TapeSummary): string[] {
  const more = (kinds.mcp_json_rpc ?? 0) - MAX_CALLS_SHOWN
  return [
    ...mcp.slice(0, MAX_CALLS_SHOWN).map(({ seq, server, method, name, latency_ms, outcome }) => {
      const what = [server, method, ...(name === null ? [] : [name])].join(' ')
      return `  mcp ${`#${seq}`.padEnd(7)} ${what}  ${latency_ms} ms${outcome === 'error' || outcome === 'tool error' ? `  ${outcome}` : ''}`
    }),
    ...(more > 0 ? [`  and ${more} more call(s): reprise inspect --kind mcp_json_rpc`] : []),
  ]
}
