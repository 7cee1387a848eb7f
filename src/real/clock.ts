/** Clocks and timers, captured before anything is patched. */
import { performance } from 'node:perf_hooks'

const RealDate = globalThis.Date
const dateNow = RealDate.now.bind(RealDate)
const performanceNow = performance.now.bind(performance)

export const now: () => number = () => dateNow()
export const monotonicMs: () => number = () => performanceNow()
export const hrtime: () => bigint = process.hrtime.bigint.bind(process.hrtime)
export const realSetTimeout: typeof globalThis.setTimeout = globalThis.setTimeout
export const realClearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout
export const realSetImmediate: typeof globalThis.setImmediate = globalThis.setImmediate
export const realQueueMicrotask: typeof globalThis.queueMicrotask = globalThis.queueMicrotask
export const dateFrom = (ms: number): Date => new RealDate(ms)
