/**
 * Plays a recording on a terminal with keys: space pauses, the arrows go five seconds forward and back, q
 * ends.
 *
 * Going back writes the recording from its beginning again, without waiting, up to the wanted moment.
 */
export type PlayedChunk = { readonly tMs: number; readonly bytes: Uint8Array }

export type PlayerTerminal = {
  write(bytes: Uint8Array): Promise<void>
  /** An empty screen with the modes of the beginning. */
  rewind(): Promise<void>
  /** Waits, and returns early when the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
  nowMs(): number
  /** Calls the listener for each key until disposed. */
  onKeys(listener: (keys: string) => void): Disposable
}

const JUMP_MS = 5000
const FOREVER_MS = 2 ** 31 - 1

/** `factor` is applied to every pause. */
export async function playWithKeys(
  chunks: readonly PlayedChunk[],
  factor: number,
  terminal: PlayerTerminal,
): Promise<'end' | 'quit'> {
  const firstMs = chunks[0]?.tMs ?? 0
  let shownMs = firstMs
  let next = 0
  let isPaused = false
  let isEnded = false
  let wake = new AbortController()
  let jumpMs: number | null = null
  using _keys = terminal.onKeys((keys) => {
    if (keys === ' ') isPaused = !isPaused
    else if (keys === '\u001b[C' || keys === '\u001bOC') jumpMs = (jumpMs ?? 0) + JUMP_MS
    else if (keys === '\u001b[D' || keys === '\u001bOD') jumpMs = (jumpMs ?? 0) - JUMP_MS
    else if (keys === 'q' || keys === '\u0003') isEnded = true
    else return
    wake.abort()
  })
  const showUpTo = async (tMs: number): Promise<void> => {
    for (
      let chunk = chunks[next];
      chunk !== undefined && chunk.tMs <= tMs && !isEnded;
      chunk = chunks[next]
    ) {
      next += 1
      await terminal.write(chunk.bytes)
    }
    shownMs = tMs
  }
  const jump = async (byMs: number): Promise<void> => {
    const toMs = Math.max(firstMs, shownMs + byMs)
    if (byMs < 0) {
      next = 0
      await terminal.rewind()
    }
    await showUpTo(toMs)
  }
  while (!isEnded) {
    if (jumpMs !== null) {
      const byMs = jumpMs
      jumpMs = null
      await jump(byMs)
      continue
    }
    const chunk = chunks[next]
    if (chunk === undefined) return 'end'
    const waitMs = isPaused ? FOREVER_MS : Math.max(0, chunk.tMs - shownMs) * factor
    if (waitMs === 0) {
      await showUpTo(Math.max(shownMs, chunk.tMs))
      continue
    }
    wake = new AbortController()
    const startMs = terminal.nowMs()
    await terminal.sleep(Math.min(waitMs, FOREVER_MS), wake.signal)
    if (!wake.signal.aborted) await showUpTo(chunk.tMs)
    else if (waitMs !== FOREVER_MS)
      shownMs = Math.min(chunk.tMs, shownMs + (terminal.nowMs() - startMs) / factor)
  }
  return 'quit'
}
