/** Handles of one process take turns on a session here, in order, and without asking the file system. */
const tails = new Map<string, Promise<unknown>>()

export function takeTurn<T>(place: string, work: () => Promise<T>): Promise<T> {
  const turn = (tails.get(place) ?? Promise.resolve()).then(work)
  const tail = turn.catch(() => undefined)
  tails.set(place, tail)
  void tail.then(() => {
    if (tails.get(place) === tail) tails.delete(place)
  })
  return turn
}
