/**
 * The real child behind a recorded terminal: its output is read whole, and no faster than the program
 * receives it.
 */
import { type PtyChild, realPtyOf } from '../../real/pty.ts'
import { sendSignal } from '../../real/signals.ts'
import { outside } from '../context.ts'
import type { Effect } from '../session.ts'

export type LiveTerminal = {
  title(): string
  write(bytes: Uint8Array): void
  resize(cols: number, rows: number): void
  kill(signal: string): void
  destroy(): void
  pause(): void
  resume(): void
  /** A chunk has reached the program. */
  handed(): void
}

/** The number of chunks that may wait for their turn before the child is paused. */
const MOST_WAITING = 16

export function startLive(child: PtyChild, effect: Effect): LiveTerminal {
  const pty = outside(() => realPtyOf(child))
  let waiting = 0
  let isPaused = false
  let isHeld = false
  const flow = (): void => {
    const hold = isPaused || waiting >= MOST_WAITING || (isHeld && waiting > 0)
    if (hold === isHeld) return
    isHeld = hold
    outside(() => (hold ? pty.pause() : pty.resume()))
  }
  outside(() => {
    pty.onData((bytes) => {
      waiting += 1
      effect.arrive({ type: 'chunk', bytes })
      flow()
    })
    pty.onEnd((exitCode, signal) => effect.arrive({ type: 'terminal_exit', exitCode, signal }))
  })
  return {
    title: () => outside(() => child.process),
    write: (bytes) => void outside(() => pty.write(bytes)),
    resize: (cols, rows) => outside(() => pty.resize(rows, cols)),
    // A name that is no signal is ignored, as the library does.
    kill(signal) {
      // A pid of 0 or below would mean a group, or every process.
      if (child.pid > 0) sendSignal(child.pid, signal as NodeJS.Signals)
    },
    destroy: () => outside(() => pty.destroy()),
    pause() {
      isPaused = true
      flow()
    },
    resume() {
      isPaused = false
      flow()
    },
    handed() {
      waiting -= 1
      flow()
    },
  }
}
