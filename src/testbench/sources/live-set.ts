/** The words of `--live`, and what each of them makes live. */
import type { Description, EffectStart } from '../session/family.ts'

export const liveNames = ['llm', 'network', 'mcp', 'process', 'files', 'all'] as const

export type LiveName = (typeof liveNames)[number]

export type LiveSet = ReadonlySet<LiveName>

/** Whether anything that starts at this boundary may be live. */
export function mayBeLive(live: LiveSet, boundary: string): boolean {
  if (live.has('all') || isOwn(boundary) || boundary === 'filesystem') return true
  switch (boundary) {
    case 'network':
      return live.has('network') || live.has('llm') || live.has('mcp')
    case 'process':
      return live.has('process') || live.has('mcp')
    case 'terminal':
      return live.has('process')
    default:
      return false
  }
}

/** Time and real work always continue: they bring in nothing from outside. */
export function isOwn(boundary: string): boolean {
  return boundary === 'clock' || boundary === 'offthread' || boundary === 'random'
}

/** `isServer`: the subprocess is an MCP server on the tape. */
export function isLiveStart(
  live: LiveSet,
  { boundary, options }: EffectStart,
  { subject }: Pick<Description, 'subject'>,
  isServer: boolean,
): boolean {
  if (!mayBeLive(live, boundary)) return false
  if (live.has('all')) return true
  switch (boundary) {
    case 'network':
      if (live.has('network')) return true
      // A connection only carries requests, which are decided one by one.
      if (options.request === undefined) return options.supporting === true
      return subject !== undefined && live.has(subject)
    case 'process':
      return live.has('process') || (live.has('mcp') && isServer)
    default:
      return true
  }
}
