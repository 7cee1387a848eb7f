/**
 * The bytes of a tape that was read once and will be parsed again. A tape beyond the limit is not kept:
 * memory must not grow with it.
 */
import { createTapeParser, type TapeEvent } from '../../tape/parser.ts'

const MAX_KEPT_BYTES = 32 * 1024 * 1024

export type KeptBytes = {
  /** The chunk may be reused afterwards. */
  add(chunk: Buffer): void
  /** The kept bytes, once; null if there were too many. */
  take(): { events(path: string): Generator<TapeEvent, void, undefined> } | null
}

export function keepBytes(): KeptBytes {
  let kept: Buffer[] | null = []
  let size = 0
  return {
    add(chunk) {
      size += chunk.length
      if (size > MAX_KEPT_BYTES) kept = null
      else kept?.push(Buffer.from(chunk))
    },
    take() {
      const taken = kept
      kept = null
      return taken === null ? null : { events: (path) => eventsIn(taken, path) }
    },
  }
}

function* eventsIn(chunks: Buffer[], path: string): Generator<TapeEvent, void, undefined> {
  const parser = createTapeParser(path)
  // Released chunk by chunk while it is read.
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield* parser.push(chunk)
  yield* parser.end()
}
