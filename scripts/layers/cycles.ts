export type Edges = Map<string, Set<string>>

export function addEdge(edges: Edges, from: string, to: string): void {
  const targets = edges.get(from) ?? new Set()
  edges.set(from, targets.add(to))
}

/** Pairs that point at each other, each pair once, in order of name. */
export function mutualPairs(edges: Edges): [string, string][] {
  return [...edges]
    .flatMap(([from, targets]) => [...targets].map((to): [string, string] => [from, to]))
    .filter(([from, to]) => from < to && edges.get(to)?.has(from) === true)
    .sort(([left], [right]) => (left < right ? -1 : 1))
}

/** At least one cycle of each group of nodes that are in a cycle; the first node is repeated at the end. */
export function cycles(edges: Edges): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      found.push([...trail.slice(trail.indexOf(node)), node])
      return
    }
    if (done.has(node)) return
    for (const next of edges.get(node) ?? []) visit(next, [...trail, node])
    done.add(node)
  }
  for (const node of edges.keys()) visit(node, [])
  return found
}
