// Prints every name at the places of src/boundaries/coverage.ts, as the Node that runs this has them.
import childProcess from 'node:child_process'
import crypto from 'node:crypto'
import os from 'node:os'
import perfHooks from 'node:perf_hooks'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

const places = {
  globalThis,
  Date,
  AbortSignal,
  'Temporal.Now': globalThis.Temporal?.Now ?? {},
  'Performance.prototype': Performance.prototype,
  'node:perf_hooks': perfHooks,
  'node:timers': timers,
  'node:timers/promises': timersPromises,
  scheduler: Object.getPrototypeOf(timersPromises.scheduler),
  Math,
  'Crypto.prototype': Crypto.prototype,
  'SubtleCrypto.prototype': SubtleCrypto.prototype,
  'node:crypto': crypto,
  process,
  'node:os': os,
  'node:child_process': childProcess,
}
console.log(JSON.stringify(Object.fromEntries(Object.entries(places).map(([place, object]) => [place, Object.getOwnPropertyNames(object)]))))
