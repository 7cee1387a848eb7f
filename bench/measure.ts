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

/** Prints one measured figure against its target. */
export function verdict(
  what: string,
  measured: number,
  target: number,
  direction: 'at least' | 'at most',
): void {
  const reached = direction === 'at least' ? measured >= target : measured <= target
  console.log(
    `${what.padEnd(58)} ${measured.toFixed(3).padStart(9)}   ${direction} ${target}: ${reached ? 'reached' : 'NOT REACHED'}`,
  )
}
