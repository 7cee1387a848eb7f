/** What the space key plays: the newest part of the page that can be played. */
const players: (() => void)[] = []

/** Registers what space does until the returned function is called. */
export function onPlayKey(toggle: () => void): () => void {
  players.push(toggle)
  return () => {
    const at = players.lastIndexOf(toggle)
    if (at >= 0) players.splice(at, 1)
  }
}

/** Returns false if nothing on the page can be played. */
export function pressPlay(): boolean {
  const toggle = players.at(-1)
  toggle?.()
  return toggle !== undefined
}
