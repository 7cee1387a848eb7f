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
export { realSetImmediate } from './immediate.ts'
export const realQueueMicrotask: typeof globalThis.queueMicrotask = globalThis.queueMicrotask
/**
 * Runs the callback in the order of `queueMicrotask`, without the resource that Node creates there for async
 * hooks. `await` calls nothing that a program can replace. The callback must not throw.
 */
export async function afterThisStep(callback: () => void): Promise<void> {
  await undefined
  callback()
}
export const dateFrom = (ms: number): Date => new RealDate(ms)
export const realSetInterval: typeof globalThis.setInterval = globalThis.setInterval
export const realClearInterval: typeof globalThis.clearInterval = globalThis.clearInterval
const { timeOrigin } = performance
export const timeOriginMs: () => number = () => timeOrigin
const uptime = process.uptime.bind(process)
export const uptimeSeconds: () => number = () => uptime()

type TemporalNow = { instant(): { readonly epochNanoseconds: bigint } }
const temporalNow: TemporalNow | undefined = Reflect.get(globalThis, 'Temporal')?.Now
const instant = temporalNow?.instant.bind(temporalNow)
/** As exact as this Node version can measure. */
export const wallNs: () => bigint = () => instant?.().epochNanoseconds ?? BigInt(dateNow()) * 1_000_000n
