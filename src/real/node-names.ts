/**
 * Every name at the places of boundaries/coverage.ts, as the Node that runs this has them. Loaded alone,
 * in a process of its own, so that nothing has been patched or added.
 */
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import { builtinModules } from 'node:module'
import os from 'node:os'
import perfHooks from 'node:perf_hooks'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { moduleNames } from './module-names.ts'

export async function nodeNames(): Promise<Readonly<Record<string, readonly string[]>>> {
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
  const names = Object.entries(places).map(
    ([place, object]) => [place, Object.getOwnPropertyNames(object)] as const,
  )
  return {
    ...Object.fromEntries(names),
    'built-in modules': builtinModules
      .filter((name) => !name.startsWith('_'))
      .map((name) => name.replace(/^node:/, '')),
    'node:fs': Object.getOwnPropertyNames(fs),
    'node:fs/promises': Object.getOwnPropertyNames(fs.promises),
    FileHandle: await fileHandleNames(),
    ...Object.fromEntries(Object.entries(moduleNames()).filter(([place]) => !NAMED_ABOVE.has(place))),
  }
}

/** The same objects as places above, which list more than functions. */
const NAMED_ABOVE: ReadonlySet<string> = new Set([
  'process',
  'node:child_process',
  'node:crypto',
  'node:fs',
  'node:fs.promises',
  'node:os',
  'node:perf_hooks',
  'node:perf_hooks.Performance#',
  'node:timers',
  'node:timers.promises',
])

/**
 * Its class is only to be had by a file that is open. Some of its methods are own properties; what begins
 * with an underscore is an event emitter's.
 */
async function fileHandleNames(): Promise<readonly string[]> {
  const handle = await fs.promises.open(process.execPath)
  const names = [
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(handle)),
    ...Object.getOwnPropertyNames(handle).filter((name) => !name.startsWith('_')),
  ]
  await handle.close()
  return names
}
