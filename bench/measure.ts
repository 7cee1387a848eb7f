/**
 * Ratios on a noisy machine: the candidates run in small alternating blocks, and the median of each decides.
 * A single block can be off by a factor of four, a median of many is not.
 */
export type Candidate = { readonly name: string; run(block: number): void | Promise<void> }

/** Median milliseconds per block, by name. */
export async function alternate(
  candidates: readonly Candidate[],
  blocks: number,
): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
  for (const candidate of candidates) await candidate.run(-1)
  for (let block = 0; block < blocks; block += 1) {
    for (const candidate of candidates) {
      const start = performance.now()
      await candidate.run(block)
      times.get(candidate.name)?.push(performance.now() - start)
    }
  }
  return new Map([...times].map(([name, samples]) => [name, median(samples)]))
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export type Row = {
  readonly what: string
  readonly ratio: number
  readonly goal: number
  readonly direction: 'at least' | 'at most'
  readonly isReached: boolean
} & Figures

/** What a ratio was made of. */
export type Figures = {
  readonly ours?: number | undefined
  readonly floor?: number | undefined
  readonly unit?: string | undefined
  readonly peers?: Readonly<Record<string, number>> | undefined
  /** Why the goal is not reached; shown only then. */
  readonly why?: string | undefined
}

let rows: Row[] = []

/** Prints one measured figure against its target, and keeps it for the table. */
export function verdict(
  what: string,
  ratio: number,
  goal: number,
  direction: 'at least' | 'at most',
  figures: Figures = {},
): void {
  const isReached = direction === 'at least' ? ratio >= goal : ratio <= goal
  const { why, ...measured } = figures
  rows.push({
    what: what.trim(),
    ratio,
    goal,
    direction,
    isReached,
    ...measured,
    ...(isReached || why === undefined ? {} : { why }),
  })
  console.log(
    `${what.padEnd(66)} ${ratio.toFixed(3).padStart(9)}   ${direction} ${goal}: ${isReached ? 'reached' : 'NOT REACHED'}`,
  )
}

/** The rows since the last call. */
export function takeRows(): readonly Row[] {
  const taken = rows
  rows = []
  return taken
}
