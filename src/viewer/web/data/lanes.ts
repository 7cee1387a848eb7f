/** Names and colours of the lanes. */
import { LANES, type Lane } from '../../protocol.ts'

export const LANE_NAMES: Readonly<Record<Lane, string>> = {
  llm: 'Model',
  mcp: 'MCP',
  network: 'Network',
  files: 'Files',
  processes: 'Processes',
  terminal: 'Terminal',
  clock: 'Clock',
  inputs: 'Inputs',
  other: 'Other',
  findings: 'Findings',
}

/** The lanes to draw: those with rows. Findings are always there, so that their absence is visible. */
export function shownLanes(
  counts: readonly { readonly lane: Lane; readonly count: number }[],
): readonly Lane[] {
  const used = new Set(counts.filter(({ count }) => count > 0).map(({ lane }) => lane))
  return LANES.filter((lane) => used.has(lane) || lane === 'findings')
}
