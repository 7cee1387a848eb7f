/**
 * A clock for playing things at their recorded speed. Runs on animation frames and stops at the
 * end.
 */
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16] as const

export type Playback = {
  readonly atMs: Signal<number>
  readonly playing: Signal<boolean>
  readonly speed: Signal<number>
  play(): void
  pause(): void
  toggle(): void
  seek(atMs: number): void
}

function createPlayback(endMs: () => number, startMs: number): Playback {
  const atMs = signal(startMs)
  const playing = signal(false)
  const speed = signal(1)
  let frame = 0
  let last = 0
  const tick = (now: number): void => {
    const next = atMs.peek() + (now - last) * speed.peek()
    last = now
    atMs.value = Math.min(endMs(), next)
    if (next >= endMs()) playing.value = false
    else frame = requestAnimationFrame(tick)
  }
  const pause = (): void => {
    playing.value = false
    cancelAnimationFrame(frame)
  }
  const play = (): void => {
    if (playing.peek()) return
    if (atMs.peek() >= endMs()) atMs.value = 0
    playing.value = true
    last = performance.now()
    frame = requestAnimationFrame(tick)
  }
  return {
    atMs,
    playing,
    speed,
    play,
    pause,
    toggle: () => (playing.peek() ? pause() : play()),
    seek(next) {
      atMs.value = Math.max(0, Math.min(endMs(), next))
    },
  }
}

/** A playback that stops when the part of the page that made it goes. */
export function usePlayback(endMs: number, startMs: number, key: unknown): Playback {
  const playback = useMemo(() => createPlayback(() => endMs, startMs), [key, endMs])
  useEffect(() => () => playback.pause(), [playback])
  return playback
}
