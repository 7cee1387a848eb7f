/**
 * Queues events for their reader. None is dropped: above 1 MiB of waiting output the source is paused, until
 * less than 256 KiB wait.
 */
import type { SessionEvent } from './session-event.ts'

const HIGH_WATER = 1024 * 1024
const LOW_WATER = 256 * 1024

export type EventQueue = {
  push(event: SessionEvent): void
  end(): void
  events(): AsyncIterableIterator<SessionEvent>
}

export function createEventQueue(pause: () => void, resume: () => void): EventQueue {
  let waiting: SessionEvent[] = []
  let taken = 0
  let bytes = 0
  let paused = false
  let ended = false
  let wake: (() => void) | null = null
  return {
    push(event) {
      waiting.push(event)
      if (event.kind === 'output') bytes += event.bytes.byteLength
      if (bytes > HIGH_WATER && !paused) {
        paused = true
        pause()
      }
      wake?.()
    },
    end() {
      ended = true
      wake?.()
    },
    async *events() {
      for (;;) {
        const event = waiting[taken]
        if (event !== undefined) {
          taken += 1
          if (taken > 1024) {
            waiting = waiting.slice(taken)
            taken = 0
          }
          if (event.kind === 'output') bytes -= event.bytes.byteLength
          if (paused && bytes < LOW_WATER) {
            paused = false
            resume()
          }
          yield event
        } else if (ended) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          wake = null
        }
      }
    },
  }
}
