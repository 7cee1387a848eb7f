/**
 * Every name at the places of boundaries/coverage.ts, as the Node that runs this has them. Loaded by itself, in a process of its own, so that nothing has
 * been patched or added.
 */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import { builtinModules } from 'node:module'
import os from 'node:os'
import perfHooks from 'node:perf_hooks'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

export function nodeNames(): Readonly<Record<string, readonly string[]>> {
  const { subtle } = globalThis.crypto
  const temporal: unknown = Reflect.get(globalThis, 'Temporal')?.Now
  const places: Readonly<Record<string, object>> = {
    globalThis,
    Date,
    AbortSignal,
    'Temporal.Now': typeof temporal === 'object' && temporal !== null ? temporal : {},
    'Performance.prototype': Object.getPrototypeOf(performance),
    'node:perf_hooks': perfHooks,
    'node:timers': timers,
    'node:timers/promises': timersPromises,
    scheduler: Object.getPrototypeOf(timersPromises.scheduler),
    Math,
    'Crypto.prototype': Object.getPrototypeOf(globalThis.crypto),
    'SubtleCrypto.prototype': Object.getPrototypeOf(subtle),
    'node:crypto': crypto,
    process,
    'node:os': os,
    'node:child_process': childProcess,
  }
  const names = Object.entries(places).map(([place, object]) => [place, Object.getOwnPropertyNames(object)] as const)
  return {
    ...Object.fromEntries(names),
    'built-in modules': builtinModules.filter((name) => !name.startsWith('_')).map((name) => name.replace(/^node:/, '')),
  }
}
