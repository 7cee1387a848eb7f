/**
 * The names of the boundaries, each a family of inputs. A session can capture, pass through or deny each of
 * them separately.
 */
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
 * `offthread` has no inputs: it keeps the order of work off the main thread, for every session that captures
 * something.
 */
export type CrossingName = BoundaryName | 'offthread'
