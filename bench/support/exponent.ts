/**
 * How fast a cost grows: the slope between the two largest sizes on logarithmic scales. 1 is linear, 2 is
 * quadratic. Smaller sizes measure the start of a process.
 */
export function exponent(points: readonly (readonly [size: number, cost: number])[]): number {
  const [before, last] = points.slice(-2)
  if (before === undefined || last === undefined) throw new Error('two sizes are needed')
  return Math.log(last[1] / before[1]) / Math.log(last[0] / before[0])
}
