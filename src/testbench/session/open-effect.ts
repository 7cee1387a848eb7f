/** An effect that was started and is not closed yet, as the kernel keeps it. */
import { AsyncResource } from 'node:async_hooks'
import { label } from '../../base/index.ts'
import type { EffectStart } from './family.ts'
import type { OpenEffect } from './source.ts'

export function openEffect(
  start: EffectStart,
  id: number,
  key: string,
  code: OpenEffect['code'],
  receive: OpenEffect['receive'],
): OpenEffect {
  const { ref = true, real = false } = start.options
  return {
    id,
    start,
    options: start.options,
    key,
    code,
    receive,
    resource: new AsyncResource('reprise.effect', { requireManualDestroy: true }),
    closed: false,
    ref,
    work: real ? 'under way' : 'none',
    waitsFor: waitedFor(start),
    hasAnswer: false,
  }
}

function waitedFor({ boundary, options }: EffectStart): OpenEffect['waitsFor'] {
  if (options.supporting === true) return null
  if (options.request !== undefined) return 'answer'
  return boundary === CLOCK ? 'timer' : null
}

const CLOCK = label('clock')
