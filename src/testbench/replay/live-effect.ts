/** An effect that the program of a replay has started: whom its outcomes go to, and what they wait for. */
import { AsyncResource } from 'node:async_hooks'
import type { Handover } from '../../boundaries/gate.ts'
import type { EffectOptions, Outcome, Sent } from '../../boundaries/session.ts'

export function liveEffect(id: number, key: string, receive: LiveEffect['receive'], { sent, ref = true, real = false }: EffectOptions): LiveEffect {
  const resource = new AsyncResource('reprise.effect', { requireManualDestroy: true })
  return { id, key, sent, receive, resource, closed: false, ref, work: real ? 'under way' : 'none' }
}

export type LiveEffect = {
  readonly id: number
  readonly key: string
  readonly sent: Sent | undefined
  readonly receive: (outcome: Outcome) => void
  readonly resource: AsyncResource
  closed: boolean
  ref: boolean
  /** Of an effect whose work is done for real in a replay too. */
  work: 'none' | 'under way' | 'done'
}

/** Hands these to the program, then what `more` brings, until it brings nothing. */
export function toProgram({ resource, receive }: LiveEffect, first: Outcome[], more: () => Outcome[] | null = () => null): Handover {
  let waiting = first
  let at = 0
  const next = (): Outcome | null => {
    while (at >= waiting.length) {
      const further = more()
      if (further === null) return null
      waiting = further
      at = 0
    }
    at += 1
    return waiting[at - 1] ?? null
  }
  return { resource, receive, next }
}
