/** Header pairs with other values: a name keeps its place and spelling; null removes it; a new one comes last. */
type HeaderPairs = readonly (readonly [name: string, value: string])[]

export function withHeaderChanges(
  headers: HeaderPairs,
  changes: { readonly [name: string]: string | null },
): HeaderPairs {
  const wanted = new Map(
    Object.entries(changes).map(([name, value]) => [name.toLowerCase(), [name, value] as const]),
  )
  const left = new Map(wanted)
  const kept = headers.flatMap(([name, value]): HeaderPairs => {
    const change = wanted.get(name.toLowerCase())
    if (change === undefined) return [[name, value]]
    const isFirst = left.delete(name.toLowerCase())
    // A header that was sent several times is set once.
    return !isFirst || change[1] === null ? [] : [[name, change[1]]]
  })
  const added = [...left.values()].flatMap(
    ([name, value]): HeaderPairs => (value === null ? [] : [[name, value]]),
  )
  return [...kept, ...added]
}
