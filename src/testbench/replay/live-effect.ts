/** An effect that the program of a replay has started: whom its outcomes go to, and what they wait for. */
import { AsyncResource } from 'node:async_hooks'
import type { Handover } from '../../boundaries/gate.ts'
import type { EffectOptions, Outcome, Sent } from '../../boundaries/session.ts'

export function liveEffect(id: number, boundary: string, key: string, receive: LiveEffect['receive'], options: EffectOptions): LiveEffect {
  const { sent, ref = true, real = false, request, supporting = false } = options
  const resource = new AsyncResource('reprise.effect', { requireManualDestroy: true })
  const waitsFor = supporting ? null : request !== undefined ? 'answer' : boundary === 'clock' ? 'timer' : null
  return { id, key, sent, receive, resource, closed: false, ref, work: real ? 'under way' : 'none', waitsFor, hasAnswer: false }
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
  /** Of what a program waits for and would wait for ever. */
  waitsFor: 'answer' | 'timer' | null
  /** Whether something of its answer has come. */
  hasAnswer: boolean
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
