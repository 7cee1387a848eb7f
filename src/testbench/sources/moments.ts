/** Numbers the moments of the world: what arrives before the next microtask came out of one call, and has one number. */
import { realQueueMicrotask } from '../../real/clock.ts'

export function createMoments(): { current(): number } {
  let moment = 0
  let isOver = true
  const end = (): void => {
    isOver = true
  }
  return {
    current() {
      if (isOver) {
        isOver = false
        moment += 1
        realQueueMicrotask(end)
      }
      return moment
    },
  }
}
