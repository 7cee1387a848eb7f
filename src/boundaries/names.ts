/** The families of inputs, by name: what a session can capture, pass through or deny, each for itself. */
export const boundaryNames = [
  'clock',
  'random',
  'env',
  'stdio',
  'network',
  'filesystem',
  'process',
  'terminal',
  'mcp',
] as const

export type BoundaryName = (typeof boundaryNames)[number]

/**
 * `offthread` takes nothing in: it keeps the order of work off the main thread, for every session that
 * captures something.
 */
export type CrossingName = BoundaryName | 'offthread'
